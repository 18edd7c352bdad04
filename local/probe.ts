// One question to a server of ours, to learn whether it is ready. Waiting for it is `waitUntil` of wait.ts.

const TIMEOUT_MS = 5_000
const SHOWN_LENGTH_MAX = 200

/** True for an answer of success; throws with the status and the beginning of the answer's text else. */
export async function probe(url: string, headers: Readonly<Record<string, string>> = {}): Promise<true> {
  const response = await fetch(url, { headers, signal: AbortSignal.timeout(TIMEOUT_MS) })
  const text = await response.text()
  if (!response.ok) throw new Error(`${response.status} ${text.slice(0, SHOWN_LENGTH_MAX)}`)
  return true
}
