-- Names sort like titles, with Ä beside A.
DROP INDEX users_lower_name;
CREATE INDEX users_name_order ON users (name COLLATE title_order, id);
