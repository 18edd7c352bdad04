// Work that a signal ends early, so that what it was doing can be taken away.

/** What `work` answers; throws the reason of `stopped` as soon as that is aborted, and looks no further at the work. */
export async function unlessStopped<T>(stopped: AbortSignal | undefined, work: Promise<T>): Promise<T> {
  if (stopped === undefined) return work
  const stopping = Promise.withResolvers<never>()
  const stop = () => stopping.reject(stopped.reason)
  stopped.addEventListener('abort', stop)
  try {
    return await Promise.race([work, stopping.promise])
  } finally {
    stopped.removeEventListener('abort', stop)
  }
}
