-- PostgreSQL's functions over its catalogues, as macros of the embedded engine. Statements of clients
-- can call these, the plain functions that function_rules.py lists, and nothing else.
-- There are no constraints, indexes, rules, triggers or default values, so their texts are NULL.

-- Names and texts of objects
CREATE MACRO pg.format_type(type_oid, modifier) AS (
  SELECT max(sql_name) FROM "hedgerow.types" WHERE oid = type_oid);
CREATE MACRO pg.pg_get_userbyid(role_oid) AS
  CASE WHEN role_oid = 10 THEN 'hedgerow' ELSE 'unknown (OID=' || role_oid || ')' END;
CREATE MACRO pg.obj_description(object, catalog := 'pg_class') AS (
  SELECT max(description) FROM "pg_catalog.pg_description" WHERE objoid = object AND objsubid = 0);
CREATE MACRO pg.shobj_description(object, catalog) AS CAST(NULL AS VARCHAR);
CREATE MACRO pg.col_description(object, number) AS (
  SELECT max(description) FROM "pg_catalog.pg_description"
  WHERE objoid = object AND objsubid = number AND number > 0);
CREATE MACRO pg.regclass_name(class_oid) AS coalesce(
  (SELECT max(CASE WHEN relnamespace IN (11, 2200) THEN relname
                   ELSE (SELECT max(nspname) FROM "pg_catalog.pg_namespace" n
                         WHERE n.oid = relnamespace) || '.' || relname END)
   FROM "pg_catalog.pg_class" WHERE oid = TRY_CAST(class_oid AS UINTEGER)),
  CAST(class_oid AS VARCHAR));
CREATE MACRO pg.regtype_name(type_oid) AS coalesce(
  (SELECT max(sql_name) FROM "hedgerow.types" WHERE oid = TRY_CAST(type_oid AS UINTEGER)),
  CAST(type_oid AS VARCHAR));
CREATE MACRO pg.regnamespace_name(schema_oid) AS coalesce(
  (SELECT max(nspname) FROM "pg_catalog.pg_namespace"
   WHERE oid = TRY_CAST(schema_oid AS UINTEGER)),
  CAST(schema_oid AS VARCHAR));
CREATE MACRO pg.regrole_name(role_oid) AS pg.pg_get_userbyid(role_oid);
CREATE MACRO pg.regclass_oid(class_name) AS (
  SELECT max(oid) FROM "pg_catalog.pg_class"
  WHERE relname = regexp_extract(replace(class_name, '"', ''), '[^.]*$')
    AND (NOT contains(class_name, '.')
         OR pg.regnamespace_name(relnamespace)
            = regexp_extract(replace(class_name, '"', ''), '^[^.]*')));
CREATE MACRO pg.regtype_oid(type_name) AS (
  SELECT min(oid) FROM "hedgerow.types" WHERE type_name IN (name, sql_name));
CREATE MACRO pg.regnamespace_oid(schema_name) AS (
  SELECT max(oid) FROM "pg_catalog.pg_namespace" WHERE nspname = schema_name);
CREATE MACRO pg.regrole_oid(role_name) AS (
  SELECT max(oid) FROM "pg_catalog.pg_roles" WHERE rolname = role_name);
CREATE MACRO pg.to_regclass(class_name) AS pg.regclass_name(pg.regclass_oid(class_name));
CREATE MACRO pg.to_regtype(type_name) AS pg.regtype_oid(type_name);
CREATE MACRO pg.to_regnamespace(schema_name) AS pg.regnamespace_oid(schema_name);
CREATE MACRO pg.to_regrole(role_name) AS pg.regrole_oid(role_name);
CREATE MACRO pg.pg_encoding_to_char(encoding) AS
  CASE encoding WHEN 6 THEN 'UTF8' WHEN 0 THEN 'SQL_ASCII' ELSE '' END;
CREATE MACRO pg.pg_char_to_encoding(encoding) AS CASE upper(encoding) WHEN 'UTF8' THEN 6 ELSE -1 END;
CREATE MACRO pg.getdatabaseencoding() AS 'UTF8';
CREATE MACRO pg.pg_client_encoding() AS 'UTF8';
CREATE MACRO pg.quote_ident(word) AS CASE
  WHEN regexp_full_match(word, '[a-z_][a-z0-9_]*') THEN word
  ELSE '"' || replace(word, '"', '""') || '"' END;
CREATE MACRO pg.parse_ident(word) AS string_split(replace(word, '"', ''), '.');
CREATE MACRO pg.quote_literal(word) AS
  '''' || replace(CASE WHEN typeof(word) LIKE 'DECIMAL%'
      THEN regexp_replace(CAST(word AS VARCHAR), '\.?0*$', '') ELSE CAST(word AS VARCHAR) END,
    '''', '''''') || '''';
CREATE MACRO pg.quote_nullable(word) AS coalesce(pg.quote_literal(word), 'NULL');

-- Visibility
CREATE MACRO pg.pg_table_is_visible(class_oid) AS class_oid IN (
  SELECT oid FROM "pg_catalog.pg_class" WHERE relnamespace IN (11, 2200));
CREATE MACRO pg.pg_type_is_visible(object) AS object IS NOT NULL;
CREATE MACRO pg.pg_function_is_visible(object) AS object IS NOT NULL;
CREATE MACRO pg.pg_collation_is_visible(object) AS object IS NOT NULL;
CREATE MACRO pg.pg_is_other_temp_schema(object) AS FALSE;
CREATE MACRO pg.pg_my_temp_schema() AS CAST(0 AS UINTEGER);
CREATE MACRO pg.pg_relation_is_publishable(object) AS FALSE;
CREATE MACRO pg.row_security_active(object) AS FALSE;
CREATE MACRO pg.pg_is_in_recovery() AS FALSE;
CREATE MACRO pg.pg_is_wal_replay_paused() AS FALSE;
CREATE MACRO pg.pg_backend_pid() AS 0;
CREATE MACRO pg.pg_relation_is_updatable(object, triggers) AS 0;
CREATE MACRO pg.pg_column_is_updatable(object, number, triggers) AS FALSE;

-- Privileges: everything that is listed may be read, nothing may be changed
CREATE MACRO pg.has_table_privilege(a, b, c := '') AS contains(upper(b || ' ' || c), 'SELECT');
CREATE MACRO pg.has_any_column_privilege(a, b, c := '') AS
  contains(upper(b || ' ' || c), 'SELECT');
CREATE MACRO pg.has_column_privilege(a, b, c, d := '') AS contains(upper(c || ' ' || d), 'SELECT');
CREATE MACRO pg.has_schema_privilege(a, b, c := '') AS contains(upper(b || ' ' || c), 'USAGE');
CREATE MACRO pg.has_database_privilege(a, b, c := '') AS contains(upper(b || ' ' || c), 'CONNECT');
CREATE MACRO pg.has_function_privilege(a, b, c := '') AS contains(upper(b || ' ' || c), 'EXECUTE');
CREATE MACRO pg.has_type_privilege(a, b, c := '') AS contains(upper(b || ' ' || c), 'USAGE');
CREATE MACRO pg.has_language_privilege(a, b, c := '') AS FALSE;
CREATE MACRO pg.has_sequence_privilege(a, b, c := '') AS FALSE;
CREATE MACRO pg.has_tablespace_privilege(a, b, c := '') AS FALSE;
CREATE MACRO pg.has_server_privilege(a, b, c := '') AS FALSE;
CREATE MACRO pg.pg_has_role(a, b, c := '') AS FALSE;

-- Sizes are not public
CREATE MACRO pg.pg_relation_size(object, fork := '') AS CAST(NULL AS BIGINT);
CREATE MACRO pg.pg_table_size(object) AS CAST(NULL AS BIGINT);
CREATE MACRO pg.pg_indexes_size(object) AS CAST(NULL AS BIGINT);
CREATE MACRO pg.pg_total_relation_size(object) AS CAST(NULL AS BIGINT);
CREATE MACRO pg.pg_database_size(object) AS CAST(NULL AS BIGINT);
CREATE MACRO pg.pg_tablespace_size(object) AS CAST(NULL AS BIGINT);
CREATE MACRO pg.pg_size_pretty(size) AS CAST(size AS VARCHAR) || ' bytes';

-- Arrays
CREATE MACRO pg.array_upper(a, dimension) AS CASE WHEN len(a) > 0 THEN len(a) END;
CREATE MACRO pg.array_lower(a, dimension) AS CASE WHEN len(a) > 0 THEN 1 END;
CREATE MACRO pg.array_length(a, dimension := 1) AS
  CASE WHEN len(a) > 0 THEN CAST(len(a) AS INTEGER) END;
CREATE MACRO pg.array_ndims(a) AS CASE WHEN len(a) > 0 THEN 1 END;
CREATE MACRO pg.cardinality(a) AS CAST(len(a) AS INTEGER);
CREATE MACRO pg.array_position(a, item) AS list_position(a, item);
CREATE MACRO pg.array_remove(a, item) AS list_filter(a, lambda one: one IS DISTINCT FROM item);
CREATE MACRO pg.array_append(a, item) AS list_append(a, item);
CREATE MACRO pg.array_prepend(item, a) AS list_prepend(item, a);
CREATE MACRO pg.array_cat(a, b) AS list_concat(a, b);
CREATE MACRO pg.array_to_string(a, separator, missing := NULL) AS
  list_aggregate(
    list_transform(
      list_filter(a, lambda one: one IS NOT NULL OR missing IS NOT NULL),
      lambda one: coalesce(CAST(one AS VARCHAR), missing)),
    'string_agg', separator);
CREATE MACRO pg.string_to_array(word, separator) AS string_split(word, separator);
CREATE MACRO pg.generate_subscripts(a, dimension) AS unnest(range(1, len(a) + 1));
CREATE MACRO pg._pg_expandarray(a) AS
  unnest(list_transform(a, lambda one, place: {'x': one, 'n': place}));
CREATE MACRO pg.bit_length(word) AS octet_length(CAST(word AS BLOB)) * 8
