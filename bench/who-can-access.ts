// Quoin's own time for the question who can access an object, over ten thousand tuples in three levels of
// organizations: `npm run bench:who-can-access`. The permission server's part is left out: its pages are ready texts
// in this process.

import { readFileSync } from 'node:fs'
import type { Upstream } from '../src/clients/http.ts'
import { Declarations } from '../src/features/permissions/declarations.ts'
import { parsePermissionFile } from '../src/features/permissions/language/parse.ts'
import { parseTuple } from '../src/features/permissions/tuple-text.ts'
import { whoCanAccess } from '../src/features/permissions/who-can-access.ts'

const ROUNDS = 15
const PAGE = 500

const file = readFileSync(new URL('../permissions/namespaces.ts', import.meta.url), 'utf8')
const tuples = organizationTuples()
const deps = {
  upstreams: { permissionRead: readyServer(tuples) },
  permissionFile: { text: file, declarations: new Declarations(parsePermissionFile(file).file) },
  config: { permissionDepthMax: 5, permissionTuplesMax: 50_000 },
}
const milliseconds: number[] = []
for (let round = 0; round < ROUNDS; round++) {
  const startedAt = performance.now()
  const report = await whoCanAccess(deps, { namespace: 'Project', object: 'big' })
  const bytes = JSON.stringify(report).length
  milliseconds.push(performance.now() - startedAt)
  if (round === 0)
    console.log(
      `${tuples.length} tuples, ${report.subjects.length} subjects, ${bytes} bytes, complete: ${report.complete}`,
    )
}
const sorted = milliseconds.toSorted((a, b) => a - b)
const shown = (index: number) => `${(sorted[index] ?? 0).toFixed(0)} ms`
console.log(
  `first ${milliseconds[0]?.toFixed(0)} ms, median ${shown(sorted.length >> 1)}, slowest ${shown(sorted.length - 1)}`,
)

function organizationTuples(): string[] {
  const texts: string[] = []
  const ten = Array.from({ length: 10 }, (_, n) => n)
  for (const a of ten) {
    texts.push(`Project:big#viewer@Organization:${a}#member`)
    for (const b of ten) {
      texts.push(`Organization:${a}#member@Organization:${a}.${b}#member`)
      for (const c of ten) {
        texts.push(`Organization:${a}.${b}#member@Organization:${a}.${b}.${c}#member`)
        for (const d of ten.slice(1))
          texts.push(`Organization:${a}.${b}.${c}#member@user-${a}-${b}-${c}-${d}`)
      }
    }
  }
  return texts
}

/** Answers lists as the permission server does; page tokens are positions. */
function readyServer(texts: readonly string[]): Upstream {
  const all = texts.map(text => {
    const read = parseTuple(text)
    if (read.outcome === 'unreadable') throw new Error(read.problem)
    return read.value
  })
  const answers = new Map<string, string>()
  const answer = (url: string) => {
    const query = new URL(url).searchParams
    const from = Number(query.get('page_token') ?? '0')
    const names = ['namespace', 'object', 'relation'] as const
    const found = all.filter(tuple => names.every(name => [null, tuple[name]].includes(query.get(name))))
    const next = found.length > from + PAGE ? String(from + PAGE) : ''
    return JSON.stringify({ relation_tuples: found.slice(from, from + PAGE), next_page_token: next })
  }
  const serve: typeof fetch = async input => {
    const url = String(input)
    const text = answers.get(url) ?? answer(url)
    answers.set(url, text)
    return new Response(text, { headers: { 'content-type': 'application/json' } })
  }
  return { name: 'permission_server', variable: 'PERMISSION_READ_URL', baseUrl: 'http://ready', fetch: serve }
}
