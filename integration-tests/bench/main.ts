import { parseArgs } from 'node:util'
import { benchClickhouse } from './clickhouse.ts'
import { benchCore } from './core.ts'
import { benchElasticsearch } from './elasticsearch.ts'
import { benchMysql } from './mysql.ts'
import { benchPostgres } from './postgres.ts'
import { benchRedis } from './redis.ts'
import { benchSlowStore } from './slow-store.ts'

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { rounds: { type: 'string', default: '3' } },
})
const rounds = Number(values.rounds)
const wanted = (part: string): boolean => positionals.length === 0 || positionals.includes(part)

if (wanted('core')) await benchCore(rounds)
if (wanted('slow-store')) await benchSlowStore()
if (wanted('postgres')) await benchPostgres(rounds)
if (wanted('mariadb')) await benchMysql('mariadb', rounds)
if (wanted('mysql')) await benchMysql('mysql-8', rounds)
if (wanted('elasticsearch')) await benchElasticsearch('elasticsearch-9', rounds)
if (wanted('opensearch')) await benchElasticsearch('opensearch-3', rounds)
if (wanted('clickhouse')) await benchClickhouse(rounds)
if (wanted('redis')) await benchRedis('redis', rounds)
if (wanted('valkey')) await benchRedis('valkey', rounds)
