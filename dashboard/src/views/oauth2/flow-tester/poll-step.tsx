import { Button } from '@cloudflare/kumo'
import { useEffect, useState } from 'react'
import { OAUTH_PUBLIC_URL } from '../../../api/addresses.ts'
import { State } from '../../../parts/state.tsx'
import type { Circumstances } from './explain.ts'
import { type HttpAnswer, type NoAnswer, textOf } from './http-exchange.ts'
import { type DeviceCodes, secondsToNextPoll } from './polling.ts'
import { type ClientAccess, devicePollRequest } from './requests.ts'
import type { Exchange } from './run.ts'
import { Sent } from './sending.tsx'
import { Step } from './step.tsx'
import type { Send } from './use-run.ts'

/** The device asks again and again, no faster than it was told. For one pair of codes; others need a new step. */
export function PollStep({
  codes,
  access,
  exchange,
  circumstances,
  isDone,
  isPast,
  send,
}: {
  codes: DeviceCodes | undefined
  access: ClientAccess
  exchange: Exchange | undefined
  circumstances: Circumstances
  isDone: boolean
  isPast: boolean
  send: Send
}) {
  const [interval, setInterval] = useState(codes?.intervalSeconds ?? 0)
  const [count, setCount] = useState(0)
  const [isAsking, setAsking] = useState(false)
  const [secondsLeft, setSecondsLeft] = useState(0)

  const ask = async () => {
    if (codes === undefined) return
    setCount(asked => asked + 1)
    const answer = await send('poll', devicePollRequest(OAUTH_PUBLIC_URL, access, codes.deviceCode))
    const next = secondsToNextPoll(interval, answer)
    if (next === undefined) return setAsking(false)
    setInterval(next)
    setSecondsLeft(next)
  }
  // biome-ignore lint/correctness/useExhaustiveDependencies: each second that passes is what it waits for
  useEffect(() => {
    if (!isAsking || secondsLeft === 0) return
    const timer = setTimeout(() => {
      setSecondsLeft(secondsLeft - 1)
      if (secondsLeft === 1) void ask()
    }, 1_000)
    return () => clearTimeout(timer)
  }, [isAsking, secondsLeft])

  const start = () => {
    setAsking(true)
    void ask()
  }
  const stop = () => {
    setAsking(false)
    setSecondsLeft(0)
  }
  const hasFailed = !isDone && !isAsking && exchange?.answer !== undefined && !isWaiting(exchange.answer)
  return (
    <Step
      number={3}
      isPast={isPast}
      title="Ask until the person has agreed"
      lead="The device does not know what happens in the browser. It asks, waits for the interval, and asks again."
      state={codes === undefined ? 'waiting' : isDone ? 'done' : hasFailed ? 'failed' : 'ready'}
    >
      {codes !== undefined && (
        <>
          <div className="flex flex-wrap items-center gap-3">
            {isAsking ? (
              <Button onClick={stop}>Stop asking</Button>
            ) : (
              <Button variant={isDone ? 'secondary' : 'primary'} disabled={isDone} onClick={start}>
                Start asking
              </Button>
            )}
            <span className="text-kumo-subtle tabular-nums">
              Every {interval} s. {count > 0 && `Asked ${count} ${count === 1 ? 'time' : 'times'}.`}{' '}
              {isAsking && secondsLeft > 0 && `Next in ${secondsLeft} s.`}
            </span>
          </div>
          {exchange?.answer !== undefined && isWaiting(exchange.answer) && (
            <State tone={isAsking ? 'busy' : 'neutral'}>
              {textOf(exchange.answer, 'error') === 'slow_down'
                ? 'slow_down: asked too soon, so five seconds more from now on'
                : 'authorization_pending: nobody has agreed yet'}
            </State>
          )}
          <Sent
            exchange={exchange ?? { request: devicePollRequest(OAUTH_PUBLIC_URL, access, codes.deviceCode) }}
            circumstances={circumstances}
          />
        </>
      )}
    </Step>
  )
}

function isWaiting(answer: HttpAnswer | NoAnswer): boolean {
  return secondsToNextPoll(0, answer) !== undefined
}
