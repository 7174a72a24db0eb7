-- Work that is given to a person, or to whoever has a tag (its name after "|"): who is offered which draws first, or
-- alone. The newest row of an assignment holds, and one that has ended stays ended.
create table assignment (
    id text primary key,
    assignment_id text not null,
    dataset_id text not null,
    stream text not null check (stream in ('audit', 'review')),
    assignee text not null,
    offer text not null check (offer in ('reserved', 'preferred')),
    priority bigint not null,
    due timestamp,
    note text not null,
    chosen text not null,
    ended boolean not null,
    seq bigint not null
);

-- A draw is given to an assignment, or taken out of it again.
create table assignment_item (
    assignment_id text not null,
    draw_id text not null,
    given boolean not null,
    seq bigint not null
);

create view assignment_now as
select * from (
    select assignment.*, row_number() over (partition by assignment_id order by seq desc, id desc) as newest,
        min(seq) over (partition by assignment_id) as began
    from assignment
) ranked where newest = 1;
