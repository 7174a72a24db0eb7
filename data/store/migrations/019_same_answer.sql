-- How far an answer of one sample lies at most from what all samples come to where it says the same, on the interval
-- scales of every judge: half a step, so that it is the nearest answer, and a tenth of a scale with too many answers for
-- a table (judges/stats/bins.py, same_answer_reach). Elsewhere it is half of one.
create view same_answer as
with place as (
    select cast(generate_series as integer) as n from generate_series(0, 255)
), asked as (
    select c.version, cast(c.spec as json) -> 'dimensions' -> p.n as d from card c cross join place p
    where c.spec like '%"interval"%' or c.spec like '%"number"%'
), scale as (
    select version, d ->> 'sort' as sort, d ->> 'name' as name, d -> 'scale' ->> 'kind' as kind,
        cast(d -> 'scale' ->> 'lo' as double precision) as lo, cast(d -> 'scale' ->> 'hi' as double precision) as hi,
        coalesce(cast(d -> 'scale' ->> 'step' as double precision), 0) as step
    from asked where d is not null
)
select j.id as judge_id, s.sort, s.name as dimension,
    case when s.step > 0 and (s.hi - s.lo) / s.step < 10.5 then s.step / 2 else (s.hi - s.lo) * 0.1000001 end as reach
from judge j join scale s on s.version = j.card_version where s.kind in ('interval', 'number');

create or replace view sampled as
select s.*, coalesce(r.rule, 'first') as rule, r.drawn, coalesce(n.reach, 0.5) as reach
from score s left join combine_rule r on r.judge_id = s.judge_id and r.dimension = s.dimension
and r.sort = case when s.unit like 'turn:%' then 'turn' when s.unit like 'section:%' then 'section'
    when s.unit like 'response/%' then 'side' else s.unit end
left join same_answer n on n.judge_id = r.judge_id and n.dimension = r.dimension and n.sort = r.sort
where s.judge_id in (select judge_id from score where sample > 0);

create or replace view combined_now as
with answer as (
    select f.judge_id, f.item_id, f.unit, f.dimension, f.value, f.reach
    from (
        select s.*, row_number() over (
            partition by s.judge_id, s.item_id, s.unit, s.dimension order by s.sample, s.judgment_id
        ) as place
        from sampled s where s.rule = 'first'
    ) f where f.place = 1
    union all
    select s.judge_id, s.item_id, s.unit, s.dimension,
        case when 2 * count(s.value) < count(*) then null when s.rule = 'mean' then sum(s.value) / count(s.value)
            else percentile_cont(0.5) within group (order by s.value) end, max(s.reach)
    from sampled s where s.rule in ('median', 'mean')
    group by s.judge_id, s.item_id, s.unit, s.dimension, s.rule
    union all
    select t.judge_id, t.item_id, t.unit, t.dimension,
        case when 2 * t.given < t.samples then null when t.equals > 1 then coalesce(t.drawn, t.value) else t.value end,
        t.reach
    from (
        select v.*, sum(v.votes) over cell as samples,
            sum(case when v.value is null then 0 else v.votes end) over cell as given,
            count(v.value) over (partition by v.judge_id, v.item_id, v.unit, v.dimension, v.votes) as equals,
            row_number() over (
                partition by v.judge_id, v.item_id, v.unit, v.dimension
                order by case when v.value is null then 1 else 0 end, v.votes desc, v.first_said
            ) as place
        from (
            select s.judge_id, s.item_id, s.unit, s.dimension, s.value, s.drawn, count(*) as votes,
                min(s.sample) as first_said, max(s.reach) as reach
            from sampled s where s.rule = 'vote'
            group by s.judge_id, s.item_id, s.unit, s.dimension, s.value, s.drawn
        ) v
        window cell as (partition by v.judge_id, v.item_id, v.unit, v.dimension)
    ) t where t.place = 1
)
select min(s.judgment_id) as judgment_id, a.judge_id, a.item_id, a.unit, a.dimension, a.value,
    avg(s.confidence) as confidence, min(s.source) as source, min(s.sample) as sample, count(*) as samples,
    avg(case when s.value > a.value - a.reach + 1e-9 and s.value <= a.value + a.reach + 1e-9
        or (s.value is null and a.value is null) then 1.0 else 0.0 end) as agreement,
    max(s.value) as highest, min(s.value) as lowest,
    coalesce(max(s.value) - min(s.value) > a.reach, false) or count(s.value) not in (0, count(*)) as flips,
    max(s.seq) as seq, cast(null as boolean) as anew
from answer a join score s
on s.judge_id = a.judge_id and s.item_id = a.item_id and s.unit = a.unit and s.dimension = a.dimension
group by a.judge_id, a.item_id, a.unit, a.dimension, a.value, a.reach;

-- What was combined before is combined anew where it is told otherwise now, and these rows hold.
alter table combination add column anew boolean;

create or replace view combination_now as
select judgment_id, judge_id, item_id, unit, dimension, value, confidence, source, sample, samples, agreement, highest,
    lowest, flips, seq
from (
    select c.*, row_number() over (
        partition by judge_id, item_id, unit, dimension
        order by seq desc, samples desc, case when anew then 0 else 1 end
    ) as newest
    from combination c
) ranked where newest = 1;

insert into combination
select judgment_id, judge_id, item_id, unit, dimension, value, confidence, source, sample, samples, agreement, highest,
    lowest, flips, seq, true
from combined_now where judge_id in (select judge_id from same_answer);
