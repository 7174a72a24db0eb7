-- Who was shown what somebody else said of an item, when (by its change) and on which way: what decides whether an answer
-- is blind. `judge_id` is the judge whose scores were shown; empty: other people's labels.

create table exposure (
    id text primary key,
    item_id text not null,
    judge_id text not null,
    person text not null,
    route text not null,
    seq bigint not null
);

-- What was shown before there was this table, which stands in place of `reveal` from now on: scores that were asked for, answers and claims with the judge in view, justifications.
insert into exposure
select r.id || '/' || s.judge_id, r.item_id, s.judge_id, r.person, 'asked for', r.seq
from reveal r join (select distinct item_id, judge_id from score) s on s.item_id = r.item_id;

insert into exposure
select c.id, c.item_id, d.judge_id, c.person, 'review desk', c.seq
from claim c join draw d on d.id = c.draw_id where d.mode = 'assisted' and d.judge_id <> '';

insert into exposure
select a.id, a.item_id, a.judge_id, a.person, 'review desk', a.seq from answer a where a.mode <> 'blind' and a.judge_id <> '';

insert into exposure
select f.id, f.item_id, f.judge_id, f.person, 'justifications', f.seq from fit f;

insert into exposure
select c.id, c.item_id, '', c.person, 'adjudication', c.seq from claim c where c.draw_id = '';

insert into exposure
select a.id, a.item_id, '', a.person, 'adjudication', a.seq from adjudication a;
