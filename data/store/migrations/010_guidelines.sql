-- What the people who label a dataset are to go by, as Markdown; every version is kept, the newest holds, an empty one
-- withdraws it. The version in force when a label was given is the newest whose change is older than the label's.

create table guideline (
    id text primary key,
    dataset_id text not null,
    text text not null,
    seq bigint not null
);
