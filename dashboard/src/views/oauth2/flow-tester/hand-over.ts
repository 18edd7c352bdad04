// The callback's side: gives the answer to the flow tester's page and closes this window, before anything is drawn.

import { passOn } from './sign-in-window.ts'

const PATIENCE_MS = 2_000

export type HandOver = 'nothing came' | 'under way' | 'taken' | 'nobody took it'

let state: HandOver = 'nothing came'
const listeners = new Set<() => void>()

function become(next: HandOver): void {
  state = next
  for (const listener of listeners) listener()
}

export function handOver(search: string): void {
  become('under way')
  const timer = setTimeout(() => become('nobody took it'), PATIENCE_MS)
  passOn(search, () => {
    clearTimeout(timer)
    become('taken')
    window.close()
  })
}

export function subscribeHandOver(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

export function handOverState(): HandOver {
  return state
}
