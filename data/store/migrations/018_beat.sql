-- What is counted up to see that something can be saved: no row, and no change of the catalogue.
create sequence beat;
