-- The first tables. Everything is appended, nothing is updated or deleted; what holds now is a view over the newest.
-- `seq` is the number of the change that wrote the row: it joins every row to who did it and when.

create table change (
    seq bigint primary key,
    made_at timestamp not null,
    actor text not null,
    action text not null,
    target text not null
);

create table person_event (
    id text primary key,
    person text not null,
    role text not null check (role in ('annotator', 'researcher', 'lead')),
    active boolean not null,
    team text not null,
    seq bigint not null
);

create table setting (
    id text primary key,
    scope text not null,
    name text not null,
    value text not null,
    seq bigint not null
);

create table dataset (
    id text primary key,
    name text not null unique,
    description text not null,
    synthetic boolean not null,
    seq bigint not null
);

create table intake (
    id text primary key,
    dataset_id text not null,
    source text not null,
    format text not null,
    sampling text not null check (sampling in ('all', 'random', 'picked', 'unknown')),
    items bigint not null,
    judgments bigint not null,
    labels bigint not null,
    seq bigint not null
);

create table item (
    id text primary key,
    dataset_id text not null,
    name text not null,
    kind text not null check (kind in ('dialogue', 'pair', 'response')),
    system_a text not null,
    system_b text not null,
    content text not null,
    meta text not null,
    hash text not null,
    cells bigint not null,
    seq bigint not null
);

create table card (
    version text primary key,
    name text not null,
    spec text not null,
    seq bigint not null
);

create table judge (
    id text primary key,
    card text not null,
    card_version text not null,
    model text not null,
    params text not null,
    synthetic boolean not null,
    seq bigint not null
);

create table judgment (
    id text primary key,
    judge_id text not null,
    item_id text not null,
    part text not null,
    sample bigint not null,
    raw text not null,
    unscored text not null,
    why text not null,
    seq bigint not null
);

create table score (
    judgment_id text not null,
    judge_id text not null,
    item_id text not null,
    unit text not null,
    dimension text not null,
    value double precision,
    confidence double precision check (confidence between 0 and 1),
    source text not null,
    sample bigint not null,
    seq bigint not null
);

create table remark (
    judgment_id text not null,
    judge_id text not null,
    item_id text not null,
    unit text not null,
    dimension text not null,
    sort text not null check (sort in ('note', 'issue', 'rule')),
    text text not null,
    sample bigint not null,
    seq bigint not null
);

create table draw (
    id text primary key,
    dataset_id text not null,
    item_id text not null,
    stream text not null check (stream in ('audit', 'review')),
    mode text not null check (mode in ('blind', 'assisted')),
    judge_id text not null,
    stratum text not null,
    probability double precision check (probability > 0 and probability <= 1),
    priority double precision not null,
    reasons text not null,
    seq bigint not null
);

create table claim (
    id text primary key,
    dataset_id text not null,
    draw_id text not null,
    item_id text not null,
    person text not null,
    until timestamp not null,
    seq bigint not null
);

create table answer (
    id text primary key,
    dataset_id text not null,
    item_id text not null,
    draw_id text not null,
    person text not null,
    judge_id text not null,
    action text not null check (action in ('save', 'skip')),
    mode text not null check (mode in ('blind', 'assisted', 'revealed')),
    reason text not null,
    previous text not null,
    milliseconds bigint not null,
    made_at timestamp not null,
    seq bigint not null
);

create table label (
    id text primary key,
    answer_id text not null,
    item_id text not null,
    unit text not null,
    dimension text not null,
    value double precision,
    annotator text not null,
    mode text not null check (mode in ('blind', 'assisted', 'revealed')),
    draw_id text not null,
    judge_id text not null,
    saw boolean not null,
    seen double precision,
    probability double precision check (probability > 0 and probability <= 1),
    replaces text,
    withdrawn boolean not null,
    made_at timestamp not null,
    seq bigint not null
);

create table comment (
    id text primary key,
    answer_id text not null,
    item_id text not null,
    unit text not null,
    sort text not null check (sort in ('issue', 'comment')),
    text text not null,
    person text not null,
    seq bigint not null
);

create table reveal (
    id text primary key,
    item_id text not null,
    person text not null,
    seq bigint not null
);

create view person_now as
select person, role, active, team from (
    select person, role, active, team, row_number() over (partition by person order by seq desc, id desc) as newest
    from person_event
) ranked where newest = 1;

create view setting_now as
select scope, name, value from (
    select scope, name, value, row_number() over (partition by scope, name order by seq desc, id desc) as newest
    from setting
) ranked where newest = 1;

-- A label is replaced by the row that names it; a withdrawn one stands for "no answer any more".
create view label_now as
select l.* from label l
left join (select replaces from label where replaces is not null) r on r.replaces = l.id
where not l.withdrawn and r.replaces is null;

create view answer_now as
select a.* from answer a
where not exists (select 1 from answer r where r.previous = a.id);

create view comment_now as
select c.* from comment c
where exists (select 1 from answer_now a where a.id = c.answer_id);

-- The value that stands for a judge in a cell: that of its first sample which could be read there.
create view score_now as
select s.* from score s where s.sample = 0
union all
select s.* from score s
where s.sample > 0 and not exists (
    select 1 from score f
    where f.judge_id = s.judge_id and f.item_id = s.item_id and f.unit = s.unit and f.dimension = s.dimension
    and f.sample < s.sample
);

-- How far the samples of a judge agree with the value that stands: a confidence where it is asked several times.
create view score_spread as
select f.judge_id, f.item_id, f.unit, f.dimension, count(*) + 1 as samples,
    (1.0 + sum(case when s.value is not distinct from f.value then 1 else 0 end)) / (count(*) + 1) as agreement,
    max(s.value) as highest, min(s.value) as lowest
from score_now f join score s
on f.judge_id = s.judge_id and f.item_id = s.item_id and f.unit = s.unit and f.dimension = s.dimension
and s.sample > 0 and s.sample > f.sample
group by f.judge_id, f.item_id, f.unit, f.dimension;

-- Later draws from a stratum raise the inclusion probability of all its items in that part (blind, assisted) of the
-- sample: the newest one holds for all of them.
create view draw_now as
select d.id, d.dataset_id, d.item_id, d.stream, d.mode, d.judge_id, d.stratum, p.probability, d.priority, d.reasons, d.seq
from draw d join (
    select n.dataset_id, n.stream, n.stratum, n.mode, max(n.probability) as probability
    from draw n join (
        select dataset_id, stream, stratum, mode, max(seq) as seq from draw group by dataset_id, stream, stratum, mode
    ) w on w.dataset_id = n.dataset_id and w.stream = n.stream and w.stratum = n.stratum and w.mode = n.mode and w.seq = n.seq
    group by n.dataset_id, n.stream, n.stratum, n.mode
) p on p.dataset_id = d.dataset_id and p.stream = d.stream and p.stratum = d.stratum and p.mode = d.mode;

create view claim_now as
select c.* from claim c
where not exists (
    select 1 from claim n where n.person = c.person and n.draw_id = c.draw_id and (n.seq > c.seq or (n.seq = c.seq and n.id > c.id))
);
