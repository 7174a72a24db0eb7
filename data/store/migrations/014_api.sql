-- What programs are let in with, and what they asked once. Of a token only its SHA-256 is kept, which is no way back.
create table api_token (
    id text primary key,
    person text not null,
    name text not null,
    prefix text not null,
    hash text not null unique,
    scopes text not null,
    made_at timestamp not null,
    expires_at timestamp not null,
    seq bigint not null
);

create table api_token_event (
    id text primary key,
    api_token_id text not null,
    kind text not null check (kind in ('used', 'revoked')),
    made_at timestamp not null,
    seq bigint not null
);

-- A request that bears a key of its own: it was begun, is done with this answer, or was refused, which frees the key.
create table api_request (
    id text primary key,
    person text not null,
    name text not null,
    print text not null,
    state text not null check (state in ('begun', 'done', 'refused')),
    answer text not null,
    made_at timestamp not null,
    seq bigint not null
);
