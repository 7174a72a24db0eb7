-- Version 001 was edited after stores had been made with it: two of its views differ between stores. Here they are
-- made anew, so that every store counts alike: later draws from a stratum raise the probability of one part (blind,
-- assisted) of the sample only.

create or replace view draw_now as
select d.id, d.dataset_id, d.item_id, d.stream, d.mode, d.judge_id, d.stratum, p.probability, d.priority, d.reasons, d.seq
from draw d join (
    select n.dataset_id, n.stream, n.stratum, n.mode, max(n.probability) as probability
    from draw n join (
        select dataset_id, stream, stratum, mode, max(seq) as seq from draw group by dataset_id, stream, stratum, mode
    ) w on w.dataset_id = n.dataset_id and w.stream = n.stream and w.stratum = n.stratum and w.mode = n.mode and w.seq = n.seq
    group by n.dataset_id, n.stream, n.stratum, n.mode
) p on p.dataset_id = d.dataset_id and p.stream = d.stream and p.stratum = d.stratum and p.mode = d.mode;

create or replace view label_now as
select l.* from label l
left join (select replaces from label where replaces is not null) r on r.replaces = l.id
where not l.withdrawn and r.replaces is null;
