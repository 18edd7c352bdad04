// Files up and down by several ways in turns, one at a time, and the table of it. All ratios are to the first way.

import { cpuSeconds } from './cpu.ts'
import type { Times, Way } from './storage-ways.ts'

export interface TransferOptions {
  /** The server of each way. */
  pids: readonly number[]
  /** Files of each size that a round sends. */
  sizes: readonly { bytes: number; files: number }[]
  rounds: number
}

/** One way, one size, one direction. */
interface Transfers {
  what: string
  name: string
  bytes: number
  times: Times[]
  /** Milliseconds of processor time in the server, by round, for one file. */
  cpuMs: number[]
}

/** Every way once a round, rounds after each other, so that a slow minute of the machine meets all of them. */
export async function measureTransfers(ways: readonly Way[], options: TransferOptions): Promise<Transfers[]> {
  const measured: Transfers[] = []
  for (const { bytes, files } of options.sizes) {
    const body = Buffer.alloc(bytes, 'quoin')
    const directions = {
      upload: (way: Way, file: number) => way.upload(`${bytes}-${file}`, body),
      download: (way: Way, file: number) => way.download(`${bytes}-${file}`),
    }
    for (const [what, transfer] of Object.entries(directions)) {
      const all = ways.map(({ name }) => ({ what, name, bytes, times: [], cpuMs: [] }) as Transfers)
      await Promise.all(ways.map(way => transfer(way, 0)))
      for (let round = 1; round <= options.rounds; round++)
        for (const [at, way] of ways.entries()) {
          const cpu = () => cpuSeconds([options.pids[at] ?? 0])[0] ?? Number.NaN
          const before = cpu()
          for (let file = 0; file < files; file++) all[at]?.times.push(await transfer(way, file))
          all[at]?.cpuMs.push(((cpu() - before) / files) * 1_000)
        }
      measured.push(...all)
    }
  }
  return measured
}

/** Prints Markdown: medians, and what each is of the first way's. */
export function printTransfers(measured: readonly Transfers[]): void {
  const head = ['what', 'who', 'MB/s', 'of bare', 'first byte, ms', 'of bare', 'processor, ms', 'of bare']
  console.log(`\n| ${head.join(' | ')} |\n|${head.map(() => '---').join('|')}|`)
  for (const one of measured) {
    const bare = measured.find(({ what, bytes }) => what === one.what && bytes === one.bytes)
    const cells = (['speed', 'firstByte', 'cpu'] as const).flatMap(figure => {
      const [own, yardstick] = [figuresOf(one)[figure], figuresOf(bare ?? one)[figure]]
      return [String(Number(own.toPrecision(3))), one === bare ? '' : (own / yardstick).toFixed(2)]
    })
    console.log(`| ${one.what}, ${sizeText(one.bytes)} | ${one.name} | ${cells.join(' | ')} |`)
  }
}

function figuresOf({ bytes, times, cpuMs }: Transfers) {
  return {
    speed: bytes / 1_000 / median(times.map(({ wholeMs }) => wholeMs)),
    firstByte: median(times.map(({ firstByteMs }) => firstByteMs)),
    cpu: median(cpuMs),
  }
}

const sizeText = (bytes: number) => (bytes < 1_000_000 ? `${bytes / 1_000} KB` : `${bytes / 1_000_000} MB`)

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN
}
