create table exposure (id text primary key, dataset_id text not null, item_id text not null, judge_id text not null, person text not null, route text not null, seq bigint not null);
