// Postgres' built-in types, which have the same oid in every database: `name oid array_oid`, from pg_type of
// Postgres 18. Types that are not here (users', extensions', catalog rows) are looked up: `type-catalog.ts`.

const BUILT_IN =
  'bool 16 1000,bytea 17 1001,char 18 1002,name 19 1003,int8 20 1016,int2 21 1005,int2vector 22 1006,' +
  'int4 23 1007,regproc 24 1008,text 25 1009,oid 26 1028,tid 27 1010,xid 28 1011,cid 29 1012,oidvector 30 1013,' +
  'json 114 199,xml 142 143,pg_node_tree 194 0,point 600 1017,lseg 601 1018,path 602 1019,box 603 1020,' +
  'polygon 604 1027,line 628 629,cidr 650 651,float4 700 1021,float8 701 1022,unknown 705 0,circle 718 719,' +
  'macaddr8 774 775,money 790 791,macaddr 829 1040,inet 869 1041,aclitem 1033 1034,bpchar 1042 1014,' +
  'varchar 1043 1015,date 1082 1182,time 1083 1183,timestamp 1114 1115,timestamptz 1184 1185,interval 1186 1187,' +
  'timetz 1266 1270,bit 1560 1561,varbit 1562 1563,numeric 1700 1231,refcursor 1790 2201,regprocedure 2202 2207,' +
  'regoper 2203 2208,regoperator 2204 2209,regclass 2205 2210,regtype 2206 2211,record 2249 2287,' +
  'cstring 2275 1263,void 2278 0,uuid 2950 2951,txid_snapshot 2970 2949,pg_lsn 3220 3221,pg_ndistinct 3361 0,' +
  'pg_dependencies 3402 0,tsvector 3614 3643,tsquery 3615 3645,gtsvector 3642 3644,regconfig 3734 3735,' +
  'regdictionary 3769 3770,jsonb 3802 3807,int4range 3904 3905,numrange 3906 3907,tsrange 3908 3909,' +
  'tstzrange 3910 3911,daterange 3912 3913,int8range 3926 3927,jsonpath 4072 4073,regnamespace 4089 4090,' +
  'regrole 4096 4097,regcollation 4191 4192,int4multirange 4451 6150,nummultirange 4532 6151,' +
  'tsmultirange 4533 6152,tstzmultirange 4534 6153,datemultirange 4535 6155,int8multirange 4536 6157,' +
  'pg_snapshot 5038 5039,xid8 5069 271'

/** A type of the database, as far as values and `columns` need it. */
export interface PgType {
  /** `pg_type.typname`; arrays have a leading underscore. */
  name: string
  /** Oid of the type that an array's elements or a domain's values have; undefined for all others. */
  of: number | undefined
  isArray: boolean
  /** What separates the elements of an array of this type: a comma, but for `box`. */
  delimiter: string
}

function readTable(): ReadonlyMap<number, PgType> {
  const types = new Map<number, PgType>()
  for (const row of BUILT_IN.split(',')) {
    const [name = '', oid, arrayOid] = row.split(' ')
    const delimiter = name === 'box' ? ';' : ','
    types.set(Number(oid), { name, of: undefined, isArray: false, delimiter })
    if (arrayOid !== '0') {
      types.set(Number(arrayOid), { name: `_${name}`, of: Number(oid), isArray: true, delimiter: ',' })
    }
  }
  return types
}

export const BUILT_IN_TYPES = readTable()
