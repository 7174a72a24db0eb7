-- What calls cost: those of runs, their failed tries and trials too; and the limits that runs keep.

-- Calls of one sort that were stored together. A run "" is none: a dry run, or a check before a run that never began.
-- `estimated` where the endpoint told no number of tokens that can be believed. No cost: the price was not known.
create table charge (
    id text primary key,
    run_id text not null,
    sort text not null check (sort in ('call', 'try', 'trial', 'lost')),
    calls bigint not null,
    tokens_in bigint not null,
    tokens_out bigint not null,
    cost double precision,
    estimated boolean not null,
    seq bigint not null
);

-- The most that a run may have cost by then in US dollars, with the calls that are under way: stored before they begin.
create table spending_hold (
    id text primary key,
    run_id text not null,
    upto double precision not null,
    seq bigint not null
);

-- A new limit, or a new price in US dollars per million tokens, that somebody gave when a run was resumed.
create table run_limit (
    id text primary key,
    run_id text not null,
    spending_limit double precision,
    price_in double precision,
    price_out double precision,
    seq bigint not null
);

-- Replies from before there were charges.
insert into charge
select 'reply ' || run_id, run_id, 'call', count(*), sum(tokens_in), sum(tokens_out), sum(cost),
    min(case when tokens_in + tokens_out > 0 or unscored = 'api_error' then 1 else 0 end) = 0, max(seq)
from reply group by run_id;

create view spending_hold_now as
select run_id, upto, seq from (
    select run_id, upto, seq, row_number() over (partition by run_id order by seq desc, id desc) as newest
    from spending_hold
) ranked where newest = 1;

create view run_limit_now as
select run_id, spending_limit, price_in, price_out, seq from (
    select run_id, spending_limit, price_in, price_out, seq,
        row_number() over (partition by run_id order by seq desc, id desc) as newest
    from run_limit
) ranked where newest = 1;
