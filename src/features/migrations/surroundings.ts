// What a migration's code can reach outside of itself: the globals, and what all code of the program shares with it
// (`Array.prototype`). It must leave them as they are: the Worker that evaluates it for a check goes on afterwards, and
// the next file must find what this one found.

interface Reachable {
  readonly name: string
  readonly object: object
}

/** What was there before, by key. */
type Properties = ReadonlyMap<PropertyKey, PropertyDescriptor>

export class Surroundings {
  readonly #before: readonly (Reachable & {
    readonly properties: Properties
    readonly prototype: object | null
  })[]

  /** As they are now: the globals, and what else is named. */
  constructor(more: Readonly<Record<string, object>> = {}) {
    sharedByAll ??= reachableFrom([...globals(), ...OF_SYNTAX, ...OF_PLATFORM])
    const named = Object.entries(more).map(([name, object]) => ({ name, object }))
    this.#before = [{ name: 'globalThis', object: globalThis }, ...sharedByAll, ...reachableFrom(named)].map(
      ({ name, object }) => ({
        name,
        object,
        properties: propertiesOf(object),
        prototype: Object.getPrototypeOf(object),
      }),
    )
  }

  /** Puts back what differs. Answers the name of the first that did, as `Array.prototype.last`. */
  restore(): string | undefined {
    let first: string | undefined
    for (const { name, object, properties, prototype } of this.#before) {
      if (Object.getPrototypeOf(object) !== prototype) {
        first ??= `the prototype of ${name}`
        Reflect.setPrototypeOf(object, prototype)
      }
      for (const key of changedKeys(object, properties)) {
        first ??= `${name}.${String(key)}`
        const before = properties.get(key)
        // What was made to stay cannot be put back; it is still told.
        if (before === undefined) Reflect.deleteProperty(object, key)
        else Reflect.defineProperty(object, key, before)
      }
    }
    return first
  }
}

/** Found once: a program gets no new classes of the language's own. */
let sharedByAll: readonly Reachable[] | undefined

/** Shared, and reached by the syntax alone. */
const OF_SYNTAX: readonly Reachable[] = Object.entries({
  'a generator': function* () {},
  'an async function': async () => {},
  'an async generator': async function* () {},
  'an array’s iterator': [][Symbol.iterator](),
  'a text’s iterator': ''[Symbol.iterator](),
  'a map’s iterator': new Map().entries(),
  'a set’s iterator': new Set().values(),
  'a regular expression’s iterator': ''.matchAll(/x/g),
}).map(([name, object]) => ({ name, object }))

/** Objects of which there is one, and whose classes are not all that a program calls. */
const OF_PLATFORM: readonly Reachable[] = [
  { name: 'crypto', object: crypto },
  { name: 'crypto.subtle', object: crypto.subtle },
  { name: 'performance', object: performance },
]

function globals(): Reachable[] {
  return Reflect.ownKeys(globalThis).flatMap(key => {
    const value: unknown = Object.getOwnPropertyDescriptor(globalThis, key)?.value
    // A program's own objects are not the language's: only what classes and functions are among them counts.
    const isShared =
      typeof value === 'function' || Object.prototype.toString.call(value) === `[object ${String(key)}]`
    return isShared ? [{ name: String(key), object: value as object }] : []
  })
}

/** Each with its prototypes, and with the classes that are in it (`Intl.NumberFormat`). */
function reachableFrom(roots: readonly Reachable[]): Reachable[] {
  const found = new Map<object, string>()
  const add = (value: unknown, name: string): void => {
    if ((typeof value !== 'object' && typeof value !== 'function') || value === null) return
    if (value === globalThis || found.has(value)) return
    found.set(value, name)
    for (const [key, { value: inner }] of propertiesOf(value)) {
      const isClass = typeof inner === 'function' && Object.hasOwn(inner, 'prototype')
      if (key === 'prototype' || (isClass && key !== 'constructor')) add(inner, `${name}.${String(key)}`)
    }
  }
  for (const { name, object } of roots) add(object, name)
  // Behind the others, which have names of their own. What is added meanwhile is looked at too.
  for (const [object, name] of found) add(Object.getPrototypeOf(object), `the prototype of ${name}`)
  return Array.from(found, ([object, name]) => ({ name, object }))
}

function propertiesOf(object: object): Properties {
  return new Map(
    Reflect.ownKeys(object).flatMap(key => {
      const property = Object.getOwnPropertyDescriptor(object, key)
      return property === undefined ? [] : [[key, property] as const]
    }),
  )
}

function changedKeys(object: object, before: Properties): PropertyKey[] {
  const changed: PropertyKey[] = []
  const keys = Reflect.ownKeys(object)
  for (const key of keys) {
    const now = Object.getOwnPropertyDescriptor(object, key)
    const then = before.get(key)
    // A global that is made when it is first asked for was a getter before.
    const isMade = object === globalThis && then?.get !== undefined && now?.get === undefined
    if (then === undefined || (!isMade && !isSame(then, now))) changed.push(key)
  }
  if (keys.length - changed.length < before.size)
    for (const key of before.keys()) if (!Object.hasOwn(object, key)) changed.push(key)
  return changed
}

function isSame(one: PropertyDescriptor, other: PropertyDescriptor | undefined): boolean {
  return (
    other !== undefined &&
    Object.is(one.value, other.value) &&
    one.get === other.get &&
    one.set === other.set &&
    one.writable === other.writable
  )
}
