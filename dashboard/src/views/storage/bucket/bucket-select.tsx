import { Select } from '@cloudflare/kumo'
import { useQuery } from '@tanstack/react-query'
import { bucketsQuery } from '../queries.ts'

/** Where files go. Buckets that are not known yet keep nobody from `own`, the one that they are in. */
export function BucketSelect({
  own,
  value,
  onChange,
  error,
}: {
  own: string
  value: string
  onChange: (bucket: string) => void
  error: string | undefined
}) {
  const { data: buckets } = useQuery(bucketsQuery)
  const names = [...new Set([own, ...(buckets?.data ?? []).map(({ id }) => id)])]
  return (
    <Select
      label="Bucket"
      className="w-full"
      value={value}
      items={Object.fromEntries(names.map(name => [name, name]))}
      onValueChange={chosen => onChange(chosen ?? own)}
      error={error}
    />
  )
}
