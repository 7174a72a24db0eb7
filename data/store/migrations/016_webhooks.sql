-- Addresses that are told of what happened, and every try to tell them. The secret that signs stands by itself, so that
-- nothing shows it that shows the rest.
create table webhook (
    id text primary key,
    url text not null,
    events text not null,
    person text not null,
    made_at timestamp not null,
    seq bigint not null
);

create table webhook_secret (
    id text primary key,
    webhook_id text not null,
    secret text not null,
    seq bigint not null
);

create table webhook_state (
    id text primary key,
    webhook_id text not null,
    state text not null check (state in ('active', 'paused', 'removed')),
    seq bigint not null
);

-- What is no row of another table: a queue was finished, or a test was asked for. `about` is JSON.
create table webhook_event (
    id text primary key,
    kind text not null,
    dataset_id text not null,
    about text not null,
    seq bigint not null
);

create table webhook_try (
    id text primary key,
    webhook_id text not null,
    event text not null,
    state text not null check (state in ('claimed', 'delivered', 'failed', 'given up')),
    why text not null,
    due timestamp not null,
    made_at timestamp not null,
    seq bigint not null
);
