// How long after the first message something happened. Pure.

/** `+0.12 s`, `+12.3 s`, `+2:05 min`; `earlier` for what was before it. */
export function offsetText(ms: number): string {
  if (ms < 0) return 'earlier'
  const seconds = ms / 1_000
  if (seconds < 10) return `+${seconds.toFixed(2)} s`
  if (seconds < 60) return `+${seconds.toFixed(1)} s`
  const whole = Math.floor(seconds)
  return `+${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, '0')} min`
}
