-- Several samples of a judge are one answer. How they make it is a rule of the judge, for each of its dimensions, which
-- comes with the judge; `drawn` is the answer that a drawn vote stands for.
create table combine_rule (
    judge_id text not null,
    sort text not null,
    dimension text not null,
    rule text not null check (rule in ('first', 'median', 'mean', 'vote')),
    drawn double precision,
    seq bigint not null
);

-- What the samples of a cell come to, for every cell of a judge that was asked several times about anything. Where
-- further samples come, there is a further row. `agreement`: the share of the samples that say the answer nearest to
-- it; `flips`: they are not all alike.
create table combination (
    judgment_id text not null,
    judge_id text not null,
    item_id text not null,
    unit text not null,
    dimension text not null,
    value double precision,
    confidence double precision check (confidence between 0 and 1),
    source text not null,
    sample bigint not null,
    samples bigint not null,
    agreement double precision not null,
    highest double precision,
    lowest double precision,
    flips boolean not null,
    seq bigint not null
);

-- Judges from before there were rules: what their parameters say, else what their card has by then. Answers without an
-- order are voted on.
insert into combine_rule
with place as (
    select cast(generate_series as integer) as n from generate_series(0, 255)
), asked as (
    select c.version, cast(c.spec as json) -> 'dimensions' -> p.n as d from card c cross join place p
), dimension as (
    select version, d ->> 'sort' as sort, d ->> 'name' as name, d -> 'scale' ->> 'kind' as kind,
        d -> 'scale' ->> 'drawn' as drawn, d -> 'scale' -> 'categories' as categories
    from asked where d is not null
), drawn as (
    select d.version, d.sort, d.name, p.n from dimension d cross join place p
    where d.drawn <> '' and (d.categories ->> p.n) = d.drawn
), ruled as (
    select id, card_version, seq,
        case when (cast(params as json) ->> 'combine') in ('first', 'median', 'mean', 'vote')
                then cast(params as json) ->> 'combine'
            when card in ('rubric_open_ended', 'rubric_open_ended_on_turns', 'mt_bench') then 'mean'
            else 'median' end as rule
    from judge
)
select r.id, d.sort, d.name,
    case when r.rule in ('median', 'mean') and d.kind not in ('ordinal', 'ordered', 'number') then 'vote' else r.rule end,
    cast(w.n as double precision), r.seq
from ruled r join dimension d on d.version = r.card_version
left join drawn w on w.version = d.version and w.sort = d.sort and w.name = d.name;

-- The scores of judges that were asked several times, with the rule of their dimension. One that the judge's card does not have keeps what was said first.
create view sampled as
select s.*, coalesce(r.rule, 'first') as rule, r.drawn
from score s left join combine_rule r on r.judge_id = s.judge_id and r.dimension = s.dimension
and r.sort = case when s.unit like 'turn:%' then 'turn' when s.unit like 'section:%' then 'section'
    when s.unit like 'response/%' then 'side' else s.unit end
where s.judge_id in (select judge_id from score where sample > 0);

-- All samples of a cell as one: what a new row of `combination` is made of (judges/combination.py says how, in words).
create view combined_now as
with answer as (
    select f.judge_id, f.item_id, f.unit, f.dimension, f.value
    from (
        select s.*, row_number() over (
            partition by s.judge_id, s.item_id, s.unit, s.dimension order by s.sample, s.judgment_id
        ) as place
        from sampled s where s.rule = 'first'
    ) f where f.place = 1
    union all
    select s.judge_id, s.item_id, s.unit, s.dimension,
        case when 2 * count(s.value) < count(*) then null when s.rule = 'mean' then sum(s.value) / count(s.value)
            else percentile_cont(0.5) within group (order by s.value) end
    from sampled s where s.rule in ('median', 'mean')
    group by s.judge_id, s.item_id, s.unit, s.dimension, s.rule
    union all
    select t.judge_id, t.item_id, t.unit, t.dimension,
        case when 2 * t.given < t.samples then null when t.equals > 1 then coalesce(t.drawn, t.value) else t.value end
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
                min(s.sample) as first_said
            from sampled s where s.rule = 'vote'
            group by s.judge_id, s.item_id, s.unit, s.dimension, s.value, s.drawn
        ) v
        window cell as (partition by v.judge_id, v.item_id, v.unit, v.dimension)
    ) t where t.place = 1
)
select min(s.judgment_id) as judgment_id, a.judge_id, a.item_id, a.unit, a.dimension, a.value,
    avg(s.confidence) as confidence, min(s.source) as source, min(s.sample) as sample, count(*) as samples,
    avg(case when s.value > a.value - 0.5 and s.value <= a.value + 0.5 or (s.value is null and a.value is null)
        then 1.0 else 0.0 end) as agreement,
    max(s.value) as highest, min(s.value) as lowest,
    max(s.value) is distinct from min(s.value) or count(s.value) not in (0, count(*)) as flips, max(s.seq) as seq
from answer a join score s
on s.judge_id = a.judge_id and s.item_id = a.item_id and s.unit = a.unit and s.dimension = a.dimension
group by a.judge_id, a.item_id, a.unit, a.dimension, a.value;

insert into combination select * from combined_now;

create view combination_now as
select judgment_id, judge_id, item_id, unit, dimension, value, confidence, source, sample, samples, agreement, highest,
    lowest, flips, seq
from (
    select c.*, row_number() over (
        partition by judge_id, item_id, unit, dimension order by seq desc, samples desc
    ) as newest
    from combination c
) ranked where newest = 1;

-- The value that stands for a judge in a cell: what it said where it is asked once, else its combined samples.
create or replace view score_now as
select s.judgment_id, s.judge_id, s.item_id, s.unit, s.dimension, s.value, s.confidence, s.source, s.sample, s.seq
from score s left join (select distinct judge_id from combination) c on c.judge_id = s.judge_id
where s.sample = 0 and c.judge_id is null
union all
select judgment_id, judge_id, item_id, unit, dimension, value, confidence, source, sample, seq from combination_now;

-- How far the samples of a judge agree with the value that stands: a confidence where it is asked several times.
create or replace view score_spread as
select judge_id, item_id, unit, dimension, samples, agreement, highest, lowest, flips
from combination_now where samples > 1;
