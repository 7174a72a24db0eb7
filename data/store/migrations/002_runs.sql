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

-- The run that a judgment was made in; none where it was imported.
alter table judgment add column run_id text;

create view run_now as
select run_id, kind, why, seq from (
    select run_id, kind, why, seq, row_number() over (partition by run_id order by seq desc, id desc) as newest
    from run_event
) ranked where newest = 1;

-- How it stands with each batch of a run.
create view batch_now as
select run_id, batch, state, detail, seq from (
    select run_id, batch, state, detail, seq,
        row_number() over (partition by run_id, batch order by seq desc, id desc) as newest
    from batch_event
) ranked where newest = 1;

-- A judgment that could not be used and still holds: nobody asked again, or it was no use either.
create view unscored_now as
select m.* from judgment m
where m.unscored <> '' and not exists (
    select 1 from judgment g
    where g.judge_id = m.judge_id and g.item_id = m.item_id and g.part = m.part and g.sample = m.sample
    and (g.unscored = '' or g.seq > m.seq or (g.seq = m.seq and g.id > m.id))
);

-- What a judge has no value for: no sample of it could be used. The first sample says why.
create view unusable_now as
select u.* from unscored_now u
where u.sample = 0 and not exists (
    select 1 from judgment g
    where g.judge_id = u.judge_id and g.item_id = u.item_id and g.part = u.part and g.unscored = ''
);
