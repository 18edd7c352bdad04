import { LayerCard } from '@cloudflare/kumo'
import { useEffect, useState } from 'react'
import { State } from '../../../parts/state.tsx'

/** What is being run, and for how long: the server answers once, at the end. */
export function RunProgress({ files, outside }: { files: readonly string[]; outside: readonly string[] }) {
  const seconds = useSeconds()
  const together = files.filter(name => !outside.includes(name))
  const alone = files.filter(name => outside.includes(name))
  return (
    <>
      <p className="tabular-nums">
        <State tone="busy">Running for {seconds} s</State>
      </p>
      {together.length > 0 && <Group title="In one transaction" names={together} />}
      {alone.length > 0 && (
        <Group title={together.length === 0 ? 'Each by itself' : 'Then, each by itself'} names={alone} />
      )}
      <p className="text-kumo-subtle">
        Which of them is running just now the server does not tell. Keep this page open: closing it ends the
        run.
      </p>
    </>
  )
}

function Group({ title, names }: { title: string; names: readonly string[] }) {
  return (
    <div>
      <p className="mb-1 text-kumo-subtle">{title}</p>
      <LayerCard className="px-4 py-2">
        <ol className="font-mono text-[13px] [overflow-wrap:anywhere]">
          {names.map(name => (
            <li key={name}>{name}</li>
          ))}
        </ol>
      </LayerCard>
    </div>
  )
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
