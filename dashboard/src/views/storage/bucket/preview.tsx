// The file itself, where a browser may show it: nothing of it runs on this origin.

import { Button, Empty } from '@cloudflare/kumo'
import { EyeSlashIcon } from '@phosphor-icons/react'
import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { bytesText } from '../../../parts/bytes.ts'
import { Loaded } from '../../../parts/loaded.tsx'
import { type StoredObject, textQuery } from '../queries.ts'
import { fileUrl, lastPart } from './names.ts'
import { previewKind } from './preview-kind.ts'

const TEXT_BYTES_MAX = 64 * 1024

export function Preview({ of: file }: { of: StoredObject }) {
  const [hasFailed, setFailed] = useState(false)
  const kind = previewKind(file)
  if (file.version === null)
    return <NoPreview title="No file" description="SQL made this row, and no bytes came with it." />
  if (file.size === 0) return <NoPreview title="Empty file" description="It has no bytes." />
  if (hasFailed)
    return (
      <NoPreview
        title="It cannot be shown"
        description={`Either its bytes are not what its type says, ${file.content_type}, or they did not come.`}
        contents={
          <Button size="sm" onClick={() => setFailed(false)}>
            Try again
          </Button>
        }
      />
    )
  const url = fileUrl(file.bucket_id, file.name)
  // An address of this version's own: what was there before may be in the browser's cache. Media do not mind the name.
  const src = fileUrl(file.bucket_id, file.name, file.version)
  const failed = () => setFailed(true)
  switch (kind) {
    case 'image':
      return <ImagePreview href={url} src={src} name={lastPart(file.name)} onError={failed} />
    case 'audio':
      // biome-ignore lint/a11y/useMediaCaption: there is a file of somebody's, and nothing beside it
      return <audio controls preload="metadata" src={src} onError={failed} className="w-full" />
    case 'video':
      return (
        // biome-ignore lint/a11y/useMediaCaption: there is a file of somebody's, and nothing beside it
        <video
          controls
          preload="metadata"
          src={src}
          onError={failed}
          className="max-h-96 w-full rounded-md bg-kumo-recessed"
        />
      )
    case 'pdf':
      return <PdfPreview src={url} name={lastPart(file.name)} />
    case 'text':
      return <TextPreview of={file} />
    case 'none':
      return (
        <NoPreview
          title="No preview"
          description="Images up to 20 MiB, sound, video, PDF and text are shown here. Download it to look at it."
        />
      )
  }
}

/** The whole image opens by a click: SVG as a download, since it might have a script. */
function ImagePreview({
  href,
  src,
  name,
  onError,
}: {
  href: string
  src: string
  name: string
  onError: () => void
}) {
  const [sides, setSides] = useState<string>()
  return (
    <figure className="flex flex-col items-start gap-1">
      <a href={href} target="_blank" rel="noreferrer">
        <img
          src={src}
          alt={`Preview of ${name}`}
          onError={onError}
          onLoad={({ currentTarget: { naturalWidth: width, naturalHeight: height } }) =>
            setSides(`${width.toLocaleString('en')} × ${height.toLocaleString('en')} pixels`)
          }
          className="max-h-96 max-w-full rounded-md border border-kumo-hairline bg-kumo-recessed"
        />
      </a>
      <figcaption className="min-h-5 text-sm text-kumo-subtle">{sides}</figcaption>
    </figure>
  )
}

/** By the browser's own viewer, which asks nothing of this page. One that has none would save the file at once. */
function PdfPreview({ src, name }: { src: string; name: string }) {
  if (!navigator.pdfViewerEnabled)
    return (
      <NoPreview title="No preview" description="This browser shows no PDF. Download it to look at it." />
    )
  return (
    <iframe
      src={src}
      title={`Preview of ${name}`}
      className="h-[60vh] w-full rounded-md border border-kumo-hairline bg-kumo-recessed"
    />
  )
}

function TextPreview({ of: file }: { of: StoredObject }) {
  const query = useQuery(textQuery(file, TEXT_BYTES_MAX))
  const isPart = (file.size ?? 0) > TEXT_BYTES_MAX
  return (
    <Loaded query={query}>
      {text => (
        <figure className="flex flex-col gap-1">
          <section
            // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by the keyboard
            tabIndex={0}
            aria-label={`Preview of ${lastPart(file.name)}`}
            className="max-h-96 overflow-auto rounded-md border border-kumo-hairline bg-kumo-recessed p-3"
          >
            <pre className="whitespace-pre-wrap wrap-anywhere">{text}</pre>
          </section>
          {isPart && (
            <figcaption className="text-sm text-kumo-subtle">
              The first {bytesText(TEXT_BYTES_MAX)} of {bytesText(file.size ?? 0)}.
            </figcaption>
          )}
        </figure>
      )}
    </Loaded>
  )
}

function NoPreview(words: { title: string; description: string; contents?: ReactNode }) {
  return <Empty size="sm" icon={<EyeSlashIcon size={28} />} {...words} />
}
