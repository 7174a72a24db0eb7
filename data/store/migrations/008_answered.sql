-- How many items the random sample of an import was drawn from: what makes "at random" a probability. None: not told.
alter table intake add column population bigint;
