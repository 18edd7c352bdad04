// Names of topics: clients write them with `realtime:` in front; policies, HTTP and SQL without it.

export const TOPIC_PREFIX = 'realtime:'
/** With the prefix: what a binary frame's length byte can say. */
export const TOPIC_BYTES_MAX = 255

export function bareTopic(topic: string): string {
  return topic.startsWith(TOPIC_PREFIX) ? topic.slice(TOPIC_PREFIX.length) : topic
}

export function fullTopic(topic: string): string {
  return `${TOPIC_PREFIX}${topic}`
}
