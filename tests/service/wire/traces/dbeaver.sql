-- DBeaver 25: the connection, databases, schemas, types, and one table with its columns.
-- What JDBC binds stands in a comment above its statement.
SET extra_float_digits = 3;
SET application_name = 'PostgreSQL JDBC Driver';
SET application_name = 'DBeaver 25.1.5 - Main <clinic>';
SELECT current_schema(),session_user;
SHOW search_path;
SELECT version();
-- binds varchar clinic
SELECT db.oid,db.* FROM pg_catalog.pg_database db WHERE datname=$1;
-- binds varchar clinic
SELECT db.oid,db.* FROM pg_catalog.pg_database db
WHERE datallowconn AND NOT datistemplate OR db.datname = $1 ORDER BY db.datname;
SELECT n.oid,n.*,d.description FROM pg_catalog.pg_namespace n
LEFT OUTER JOIN pg_catalog.pg_description d
  ON d.objoid=n.oid AND d.objsubid=0 AND d.classoid='pg_namespace'::regclass
ORDER BY nspname;
-- binds int4 1034
SELECT n.nspname = ANY(current_schemas(true)), n.nspname, t.typname
FROM pg_catalog.pg_type t JOIN pg_catalog.pg_namespace n ON t.typnamespace = n.oid
WHERE t.oid = $1;
-- binds int4 1034
SELECT typinput='pg_catalog.array_in'::regproc as is_array, typtype, typname, pg_type.oid
FROM pg_catalog.pg_type LEFT JOIN (
  select ns.oid as nspoid, ns.nspname, r.r from pg_namespace as ns
  join (select s.r, (current_schemas(false))[s.r] as nspname
    from generate_series(1, array_upper(current_schemas(false), 1)) as s(r)) as r
  using ( nspname )) as sp
ON sp.nspoid = typnamespace WHERE pg_type.oid = $1 ORDER BY sp.r, pg_type.oid DESC;
SELECT * FROM pg_catalog.pg_settings where name='standard_conforming_strings';
SELECT string_agg(word, ',' ) from pg_catalog.pg_get_keywords()
where word <> ALL ('{a,abs,absolute,action,ada,add,admin,after,all,allocate,alter,zone}'::text[]);
SELECT * FROM pg_catalog.pg_enum WHERE 1<>1 LIMIT 1;
SELECT reltype FROM pg_catalog.pg_class WHERE 1<>1 LIMIT 1;
SELECT t.oid,t.*,c.relkind,format_type(nullif(t.typbasetype, 0), t.typtypmod) as base_type_name,
  d.description
FROM pg_catalog.pg_type t
LEFT OUTER JOIN pg_catalog.pg_type et ON et.oid=t.typelem
LEFT OUTER JOIN pg_catalog.pg_class c ON c.oid=t.typrelid
LEFT OUTER JOIN pg_catalog.pg_description d ON t.oid=d.objoid
WHERE t.typname IS NOT NULL AND (c.relkind IS NULL OR c.relkind = 'c')
  AND (et.typcategory IS NULL OR et.typcategory <> 'C');
SELECT a.oid,a.* FROM pg_catalog.pg_roles a ORDER BY a.rolname;
SELECT t.oid,t.*,pg_tablespace_location(t.oid) loc FROM pg_catalog.pg_tablespace t ORDER BY t.oid;
SELECT am.oid,am.* FROM pg_catalog.pg_am am ORDER BY am.oid;
SELECT l.oid,l.* FROM pg_catalog.pg_language l ORDER BY l.oid;
SELECT e.oid, e.*, n.nspname AS schema_name FROM pg_extension e
JOIN pg_namespace n ON n.oid = e.extnamespace ORDER BY e.oid;
-- binds int8 2200
SELECT c.oid,c.*,d.description,
  pg_catalog.pg_get_expr(c.relpartbound, c.oid) as partition_expr,
  pg_catalog.pg_get_partkeydef(c.oid) as partition_key
FROM pg_catalog.pg_class c
LEFT OUTER JOIN pg_catalog.pg_description d
  ON d.objoid=c.oid AND d.objsubid=0 AND d.classoid='pg_class'::regclass
WHERE c.relnamespace=$1 AND c.relkind not in ('i','I','c');
-- binds int8 16384
SELECT c.relname,a.*,pg_catalog.pg_get_expr(ad.adbin, ad.adrelid, true) as def_value,
  dsc.description,  dep.objid
FROM pg_catalog.pg_attribute a
INNER JOIN pg_catalog.pg_class c ON (a.attrelid=c.oid)
LEFT OUTER JOIN pg_catalog.pg_attrdef ad ON (a.attrelid=ad.adrelid AND a.attnum = ad.adnum)
LEFT OUTER JOIN pg_catalog.pg_description dsc ON (c.oid=dsc.objoid AND a.attnum = dsc.objsubid)
LEFT OUTER JOIN pg_depend dep
  on dep.refobjid = a.attrelid AND dep.deptype = 'i' and dep.refobjsubid = a.attnum
  and dep.classid = dep.refclassid
WHERE NOT a.attisdropped AND c.oid=$1 ORDER BY a.attnum;
-- binds int8 16384
SELECT c.oid,c.*,t.relname as tabrelname,rt.relnamespace as refnamespace,d.description,
  case when c.contype='c' then substring(pg_get_constraintdef(c.oid), 7) else null end
    consrc_copy
FROM pg_catalog.pg_constraint c
INNER JOIN pg_catalog.pg_class t ON t.oid=c.conrelid
LEFT OUTER JOIN pg_catalog.pg_class rt ON rt.oid=c.confrelid
LEFT OUTER JOIN pg_catalog.pg_description d
  ON d.objoid=c.oid AND d.objsubid=0 AND d.classoid='pg_constraint'::regclass
WHERE c.conrelid=$1 ORDER BY c.oid;
-- binds int8 16384
SELECT i.*,i.indkey as keys,c.relname,c.relnamespace,c.relam,c.reltablespace,
  tc.relname as tabrelname,  dsc.description,pg_catalog.pg_get_expr(i.indpred, i.indrelid) as pred_expr,
  pg_catalog.pg_get_expr(i.indexprs, i.indrelid, true) as expr,
  pg_catalog.pg_relation_size(i.indexrelid) as index_rel_size,
  pg_catalog.pg_stat_get_numscans(i.indexrelid) as index_num_scans
FROM pg_catalog.pg_index i
INNER JOIN pg_catalog.pg_class c ON c.oid=i.indexrelid
INNER JOIN pg_catalog.pg_class tc ON tc.oid=i.indrelid
LEFT OUTER JOIN pg_catalog.pg_description dsc ON i.indexrelid=dsc.objoid
WHERE i.indrelid=$1 ORDER BY tabrelname, c.relname;
-- binds int8 2200
select c.oid,pg_catalog.pg_total_relation_size(c.oid) as total_rel_size,
  pg_catalog.pg_relation_size(c.oid) as rel_size
FROM pg_class c WHERE c.relnamespace=$1;
-- binds int8 16384
SELECT i.*,c.relnamespace FROM pg_catalog.pg_inherits i,pg_catalog.pg_class c
WHERE i.inhrelid=$1 AND c.oid=i.inhparent ORDER BY i.inhseqno;
-- binds int8 16384
SELECT DISTINCT dep.deptype, dep.classid, dep.objid, cl.relkind, attr.attname,
  pg_get_expr(ad.adbin, ad.adrelid) adefval,
  CASE WHEN cl.relkind IS NOT NULL THEN cl.relkind || COALESCE(dep.objsubid::text, '')
    WHEN tg.oid IS NOT NULL THEN 'T'::text WHEN ty.oid IS NOT NULL THEN 'y'::text
    ELSE '' END AS type,
  COALESCE(coc.relname, clrw.relname) AS ownertable,
  COALESCE(cl.relname, tg.tgname, ty.typname) AS refname,
  COALESCE(nsc.nspname, nso.nspname) AS nspname
FROM pg_depend dep
LEFT JOIN pg_class cl ON dep.objid=cl.oid
LEFT JOIN pg_attribute attr ON dep.objid=attr.attrelid AND dep.objsubid=attr.attnum
LEFT JOIN pg_namespace nsc ON cl.relnamespace=nsc.oid
LEFT JOIN pg_trigger tg ON dep.objid=tg.oid
LEFT JOIN pg_type ty ON dep.objid=ty.oid
LEFT JOIN pg_constraint co ON dep.objid=co.oid
LEFT JOIN pg_class coc ON co.conrelid=coc.oid
LEFT JOIN pg_namespace nso ON co.connamespace=nso.oid
LEFT JOIN pg_rewrite rw ON dep.objid=rw.oid
LEFT JOIN pg_class clrw ON clrw.oid=rw.ev_class
LEFT JOIN pg_attrdef ad ON ad.adrelid=attr.attrelid AND ad.adnum=attr.attnum
WHERE dep.refobjid=$1 ORDER BY type;
-- binds int8 16384
SELECT x.oid,x.*,p.relname as tabrelname,pg_catalog.pg_get_triggerdef(x.oid) as definition
FROM pg_catalog.pg_trigger x
LEFT OUTER JOIN pg_catalog.pg_class p ON p.oid=x.tgrelid WHERE x.tgrelid=$1;
-- binds varchar public, varchar visits
SELECT grantor, grantee, table_schema, table_name, privilege_type, is_grantable, with_hierarchy
FROM information_schema.table_privileges WHERE table_schema=$1 AND table_name=$2;
-- binds int8 2200
SELECT p.oid as poid,p.*,
  pg_catalog.pg_get_expr(p.proargdefaults, 0) as arg_defaults,d.description
FROM pg_catalog.pg_proc p
LEFT OUTER JOIN pg_catalog.pg_description d ON d.objoid=p.oid AND d.objsubid = 0
LEFT JOIN pg_catalog.pg_namespace dn ON dn.oid = 11
WHERE p.pronamespace=$1 ORDER BY p.proname;
-- binds int8 2200
SELECT c.relname,a.*,pg_catalog.pg_get_expr(ad.adbin, ad.adrelid, true) as def_value,
  dsc.description
FROM pg_catalog.pg_attribute a
INNER JOIN pg_catalog.pg_class c ON (a.attrelid=c.oid)
LEFT OUTER JOIN pg_catalog.pg_attrdef ad ON (a.attrelid=ad.adrelid AND a.attnum = ad.adnum)
LEFT OUTER JOIN pg_catalog.pg_description dsc ON (c.oid=dsc.objoid AND a.attnum = dsc.objsubid)
WHERE NOT a.attisdropped AND c.relnamespace=$1 AND c.relkind not in ('i','c')  ORDER BY a.attnum;
-- binds int8 2200
SELECT c.oid,c.*,t.relname as tabrelname,rt.relnamespace as refnamespace
FROM pg_catalog.pg_constraint c
INNER JOIN pg_catalog.pg_class t ON t.oid=c.conrelid
LEFT OUTER JOIN pg_catalog.pg_class rt ON rt.oid=c.confrelid
WHERE t.relnamespace=$1
ORDER BY c.oid;
-- binds int8 2200
SELECT i.*,i.indkey as keys,c.relname,c.relnamespace,c.relam,tc.relname as tabrelname,
  dsc.description,pg_catalog.pg_get_expr(i.indexprs, i.indrelid, true) as expr
FROM pg_catalog.pg_index i
INNER JOIN pg_catalog.pg_class c ON c.oid=i.indexrelid
INNER JOIN pg_catalog.pg_class tc ON tc.oid=i.indrelid
LEFT OUTER JOIN pg_catalog.pg_description dsc ON i.indexrelid=dsc.objoid
WHERE  c.relnamespace=$1 ORDER BY c.relname;
-- binds int8 16384, int4 1
select pg_catalog.pg_get_indexdef($1, $2, true);
-- binds int8 2200, varchar visits
SELECT c.oid,c.*,d.description FROM pg_catalog.pg_class c
LEFT OUTER JOIN pg_catalog.pg_description d
  ON d.objoid=c.oid AND d.objsubid=0 AND d.classoid='pg_class'::regclass
WHERE c.relnamespace=$1 AND c.relname=$2;
