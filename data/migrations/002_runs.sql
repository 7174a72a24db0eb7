-- Judges that run from here: runs, every reply as it came, and what people say of a judge's justifications.

create table run (
    id text primary key,
    dataset_id text not null,
    judge_id text not null,
    settings text not null,
    items bigint not null,
    judgments bigint not null,
    seq bigint not null
);

create table run_event (
    id text primary key,
    run_id text not null,
    kind text not null check (kind in ('started', 'stopped', 'failed', 'finished')),
    why text not null,
    seq bigint not null
);

-- One call of a judge. A judgment is made of the replies to all of its pieces, and keeps their raw text too.
create table reply (
    run_id text not null,
    judge_id text not null,
    item_id text not null,
    part text not null,
    sample bigint not null,
    piece text not null,
    raw text not null,
    unscored text not null,
    why text not null,
    mode text not null,
    model text not null,
    tokens_in bigint not null,
    tokens_out bigint not null,
    cost double precision,
    tries bigint not null,
    milliseconds bigint not null,
    logprobs text not null,
    seq bigint not null
);

-- What an endpoint's Batch API was given, and how it stands with it.
create table batch_event (
    id text primary key,
    run_id text not null,
    batch text not null,
    state text not null,
    detail text not null,
    seq bigint not null
);

-- Whether a person finds that a judge's justification fits the score beside it.
create table fit (
    id text primary key,
    judge_id text not null,
    item_id text not null,
    unit text not null,
    dimension text not null,
    fits boolean not null,
    person text not null,
    seq bigint not null
);
