import { useReducer } from 'react'
import type { Flow } from './flows.ts'
import type { HttpAnswer, HttpRequest, NoAnswer } from './http-exchange.ts'
import { advance, type Exchange, newRun, type Run, type StepName } from './run.ts'
import { sendToServer } from './send.ts'

/** The run of this page. `send` is for the OAuth2 server, unless it is told by whom the request goes. */
export function useRun(flow: Flow) {
  const [run, dispatch] = useReducer(advance, flow, newRun)
  const send = async (
    step: StepName,
    request: HttpRequest,
    by: () => Promise<HttpAnswer | NoAnswer> = () => sendToServer(request),
  ): Promise<HttpAnswer | NoAnswer> => {
    const id = crypto.randomUUID()
    dispatch({ kind: 'sent', at: Date.now(), id, step, request })
    const answer = await by()
    dispatch({ kind: 'answered', at: Date.now(), id, answer })
    return answer
  }
  return { run, dispatch, send }
}
export type Send = ReturnType<typeof useRun>['send']

/** The newest of a step. */
export function exchangeOf({ exchanges }: Run, step: StepName): Exchange | undefined {
  return exchanges.findLast(exchange => exchange.step === step)
}
