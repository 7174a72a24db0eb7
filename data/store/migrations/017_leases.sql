-- Which process works on a run, where several share the store, and until when nobody else may. `stop`: why somebody, in
-- whatever process, asked it to end.
create table run_lease (
    id text primary key,
    run_id text not null,
    holder text not null,
    until timestamp not null,
    stop text not null,
    seq bigint not null
);

create view run_lease_now as
select run_id, holder, until, stop, seq from (
    select run_id, holder, until, stop, seq, row_number() over (partition by run_id order by seq desc, id desc) as newest
    from run_lease
) ranked where newest = 1;
