-- From labels to a decision: adjudicated cells, items kept out of the gate, better turns, approvals with their evidence.

-- What somebody decided where people's labels of a cell lie apart; `labels` is what they decided on, as JSON.
create table adjudication (
    id text primary key,
    dataset_id text not null,
    item_id text not null,
    unit text not null,
    dimension text not null,
    value double precision,
    reason text not null,
    labels text not null,
    saw_judge boolean not null,
    withdrawn boolean not null,
    person text not null,
    seq bigint not null
);

-- Items that a prompt was tuned on, or that were given away to tune one, can say nothing of the judge that came of it.
create table item_use (
    id text primary key,
    dataset_id text not null,
    item_id text not null,
    tuning boolean not null,
    why text not null,
    person text not null,
    seq bigint not null
);

-- A turn of a dialogue as a person would have written it.
create table repair (
    id text primary key,
    answer_id text not null,
    item_id text not null,
    unit text not null,
    text text not null,
    person text not null,
    seq bigint not null
);

-- A decision on one dimension of one judge on one dataset. `state` is the gate's at that moment, `policy` what it was
-- held against (JSON), `print` the fingerprint of the labels and scores behind it.
create table approval (
    id text primary key,
    dataset_id text not null,
    judge_id text not null,
    sort text not null,
    dimension text not null,
    decision text not null check (decision in ('propose', 'approve', 'decline', 'suspend')),
    reason text not null,
    state text not null,
    policy text not null,
    print text not null,
    person text not null,
    seq bigint not null
);

-- The evidence that a decision was made on, frozen: a figure, or words, under a name.
create table approval_evidence (
    approval_id text not null,
    name text not null,
    figure double precision,
    told text not null,
    seq bigint not null
);

-- What was given out of the workspace, and to whom.
create table export (
    id text primary key,
    dataset_id text not null,
    kind text not null,
    settings text not null,
    lines bigint not null,
    seq bigint not null
);

create view adjudication_now as
select id, dataset_id, item_id, unit, dimension, value, reason, labels, saw_judge, person, seq from (
    select a.*, row_number() over (partition by item_id, unit, dimension order by seq desc, id desc) as newest
    from adjudication a
) ranked where newest = 1 and not withdrawn;

create view tuning_now as
select dataset_id, item_id, why, person, seq from (
    select u.*, row_number() over (partition by item_id order by seq desc, id desc) as newest from item_use u
) ranked where newest = 1 and tuning;

create view repair_now as
select r.* from repair r
where exists (select 1 from answer_now a where a.id = r.answer_id);

create view approval_now as
select id, dataset_id, judge_id, sort, dimension, decision, reason, state, policy, print, person, seq from (
    select a.*, row_number() over (partition by dataset_id, judge_id, sort, dimension order by seq desc, id desc) as newest
    from approval a
) ranked where newest = 1;
