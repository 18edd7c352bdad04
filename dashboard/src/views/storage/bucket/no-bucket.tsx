import { Empty, LinkButton } from '@cloudflare/kumo'
import { HardDrivesIcon } from '@phosphor-icons/react'

/** In place of a bucket that is gone, or never was. */
export function NoBucket({ id }: { id: string }) {
  return (
    <Empty
      icon={<HardDrivesIcon size={40} />}
      title="Bucket not found"
      description={`There is no bucket “${id}”: it was deleted, or its name is another.`}
      contents={
        <LinkButton href="/storage" variant="secondary">
          Show all buckets
        </LinkButton>
      }
    />
  )
}
