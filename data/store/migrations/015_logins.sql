-- Who signs in at a provider: an account (issuer, subject) is a person here, as its newest row says. `granted` is the
-- role that its groups gave at the last sign-in, '' for none.
create table identity (
    id text primary key,
    issuer text not null,
    subject text not null,
    person text not null,
    email text not null,
    granted text not null,
    seq bigint not null
);
-- A sign-in, by what sets its claims apart from every other's. `issued` is by the provider's clock.
create table login (
    id text primary key,
    person text not null,
    issuer text not null,
    subject text not null,
    issued timestamp not null,
    seq bigint not null
);
-- The end of a sign-in, or ('') of all that a person had begun by then.
create table login_end (
    id text primary key,
    person text not null,
    login_id text not null,
    seq bigint not null
);
-- Somebody may come in who has this e-mail address, or is this account; as `person` where that is not ''.
create table invitation (
    id text primary key,
    invitation text not null,
    email text not null,
    subject text not null,
    role text not null check (role in ('annotator', 'researcher', 'lead')),
    person text not null,
    expires timestamp not null,
    inviter text not null,
    state text not null check (state in ('open', 'accepted', 'withdrawn')),
    seq bigint not null
);

create view identity_now as
select issuer, subject, person, email, granted, seq from (
    select issuer, subject, person, email, granted, seq,
        row_number() over (partition by issuer, subject order by seq desc, id desc) as newest
    from identity
) ranked where newest = 1;

create view invitation_now as
select invitation, email, subject, role, person, expires, inviter, state, seq from (
    select invitation, email, subject, role, person, expires, inviter, state, seq,
        row_number() over (partition by invitation order by seq desc, id desc) as newest
    from invitation
) ranked where newest = 1;
