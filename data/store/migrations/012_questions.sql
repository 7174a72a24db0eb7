-- What a set of items is for: "questions" are asked of models, and nobody labels or judges them. Null: to label.
alter table dataset add column purpose text;
