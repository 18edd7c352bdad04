import { LayerCard } from '@cloudflare/kumo'
import { useEffect, useState } from 'react'
import { State } from '../../../parts/state.tsx'

/** What is being run, and for how long: the server answers once, at the end. */
export function RunProgress({ files, outside }: { files: readonly string[]; outside: readonly string[] }) {
  const seconds = useSeconds()
  return (
    <>
      <p className="tabular-nums">
        <State tone="busy">Running for {seconds} s</State>
      </p>
      {partsOf(files, outside).map((names, i) => (
        <Group key={names[0]} title={titleOf(names, i, outside)} names={names} />
      ))}
      <p className="text-kumo-subtle">
        The server does not report which file is running. Keep this page open: closing it ends the run.
      </p>
    </>
  )
}

function Group({ title, names }: { title: string; names: readonly string[] }) {
  return (
    <div>
      <p className="mb-1 text-kumo-subtle">{title}</p>
      <LayerCard className="px-4 py-2">
        <ol className="code-text wrap-anywhere">
          {names.map(name => (
            <li key={name}>{name}</li>
          ))}
        </ol>
      </LayerCard>
    </div>
  )
}

/** The files by what is committed together, as the server divides them. */
function partsOf(files: readonly string[], outside: readonly string[]): string[][] {
  const parts: string[][] = []
  for (const name of files) {
    const last = parts.at(-1)
    const isAlone = outside.includes(name) || (last !== undefined && outside.includes(last[0] ?? ''))
    if (last === undefined || isAlone) parts.push([name])
    else last.push(name)
  }
  return parts
}

function titleOf(names: readonly string[], index: number, outside: readonly string[]): string {
  const how = outside.includes(names[0] ?? '') ? 'on its own, outside a transaction' : 'in one transaction'
  return index === 0 ? how.charAt(0).toUpperCase() + how.slice(1) : `Then, ${how}`
}

function useSeconds(): number {
  const [seconds, setSeconds] = useState(0)
  useEffect(() => {
    const startedAt = performance.now()
    const timer = setInterval(() => setSeconds(Math.floor((performance.now() - startedAt) / 1_000)), 1_000)
    return () => clearInterval(timer)
  }, [])
  return seconds
}
