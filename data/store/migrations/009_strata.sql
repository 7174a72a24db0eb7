-- What the items of an audit sample are parted by. Items are given their strata at the first draw that could take them,
-- and keep them: with the scores of a judge that change later, chances to be drawn could not be told any more.

-- How a draw parted the items that had no stratum yet, and was allocated.
create table design (
    id text primary key,
    dataset_id text not null,
    parted_by text not null,
    field text not null,
    judge_id text not null,
    allocation text not null,
    about text not null,
    seq bigint not null
);

-- The stratum of every item that could be drawn then, drawn or not. Draws from before this table were by system.
create table stratum (
    dataset_id text not null,
    item_id text not null,
    stratum text not null,
    seq bigint not null
);
