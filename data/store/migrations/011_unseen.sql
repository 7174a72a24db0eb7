-- Whether a label takes over a judge's value that was never on the person's screen ("accept the rest" of a long item).
-- Null: nobody could tell (blind labels, imported ones, and all from before this column).
alter table label add column unseen boolean;

create or replace view label_now as
select l.* from label l
left join (select replaces from label where replaces is not null) r on r.replaces = l.id
where not l.withdrawn and r.replaces is null;
