// One file beside its list: what it looks like, what is known of it, and what can be done with it.

import { Button, Empty, Link, LinkButton } from '@cloudflare/kumo'
import {
  DownloadSimpleIcon,
  FileIcon,
  FilesIcon,
  LinkIcon,
  PencilSimpleIcon,
  TrashIcon,
} from '@phosphor-icons/react'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { ApiError } from '../../../api/errors.ts'
import { auditHref } from '../../../parts/audit-targets.ts'
import { bytesText } from '../../../parts/bytes.ts'
import { JsonView } from '../../../parts/code-editor.tsx'
import { CopyText } from '../../../parts/copy-text.tsx'
import { Fact, Facts, None } from '../../../parts/facts.tsx'
import { Loaded } from '../../../parts/loaded.tsx'
import { Section } from '../../../parts/page.tsx'
import { SidePanel } from '../../../parts/side-panel.tsx'
import { Time } from '../../../parts/time.tsx'
import { type Bucket, fileQuery, type StoredObject } from '../queries.ts'
import { DeleteFilesDialog } from './delete-files-dialog.tsx'
import { LinkDialogs } from './link-dialogs.tsx'
import { fileUrl, lastPart, publicUrl } from './names.ts'
import { Preview } from './preview.tsx'
import { TransferDialog } from './transfer-dialog.tsx'

export function FilePanel({ bucket, name, onClose }: { bucket: Bucket; name: string; onClose: () => void }) {
  const query = useQuery(fileQuery(bucket.id, name))
  if (query.error instanceof ApiError && query.error.code === 'object_not_found')
    return (
      <SidePanel title={lastPart(name)} onClose={onClose}>
        <Empty
          icon={<FileIcon size={40} />}
          title="File not found"
          description={`Nothing in ${bucket.id} is called ${name}. It was moved or deleted, or was never there.`}
        />
      </SidePanel>
    )
  return (
    <SidePanel title={lastPart(name)} onClose={onClose}>
      <Loaded query={query}>
        {file => (
          <>
            <FileActions of={file} onGone={onClose} />
            {/* Of another version nothing is kept. */}
            <Preview key={file.version} of={file} />
            <FileFacts of={file} isPublic={bucket.public} />
            {file.metadata !== null && (
              <Section title="Metadata" lead="What came with the upload.">
                <JsonView label="Metadata" value={file.metadata} />
              </Section>
            )}
          </>
        )}
      </Loaded>
    </SidePanel>
  )
}

function FileActions({ of: file, onGone }: { of: StoredObject; onGone: () => void }) {
  const [open, setOpen] = useState<'link' | 'move' | 'copy' | 'delete'>()
  const close = () => setOpen(undefined)
  const hasBytes = file.version !== null
  return (
    <div className="flex flex-wrap gap-2">
      {hasBytes && (
        <LinkButton
          href={fileUrl(file.bucket_id, file.name, '')}
          target="_blank"
          rel="noreferrer"
          variant="primary"
          icon={DownloadSimpleIcon}
        >
          Download
        </LinkButton>
      )}
      {hasBytes && (
        <Button icon={LinkIcon} onClick={() => setOpen('link')}>
          Create link
        </Button>
      )}
      <Button icon={PencilSimpleIcon} onClick={() => setOpen('move')}>
        Move or rename
      </Button>
      {hasBytes && (
        <Button icon={FilesIcon} onClick={() => setOpen('copy')}>
          Copy to
        </Button>
      )}
      <Button variant="secondary-destructive" icon={TrashIcon} onClick={() => setOpen('delete')}>
        Delete
      </Button>
      {open === 'link' && <LinkDialogs bucket={file.bucket_id} names={[file.name]} onClose={close} />}
      {(open === 'move' || open === 'copy') && (
        <TransferDialog of={file} kind={open} onMoved={onGone} onClose={close} />
      )}
      {open === 'delete' && (
        <DeleteFilesDialog bucket={file.bucket_id} files={[file.name]} onDeleted={onGone} onClose={close} />
      )}
    </div>
  )
}

function FileFacts({ of: file, isPublic }: { of: StoredObject; isPublic: boolean }) {
  const { bucket_id: bucket, name, size, content_type: type, cache_control: caching, owner_id: owner } = file
  return (
    <Facts>
      <Fact label="Name">
        <CopyText value={name} whole label="Copy name" />
      </Fact>
      <Fact label="Size">{size === null ? <None /> : sizeWords(size)}</Fact>
      <Fact label="Type" help="As the upload said">
        {type ?? <None />}
      </Fact>
      {isPublic && (
        <Fact label="Public address" help="Without a key">
          <CopyText value={publicUrl(bucket, name)} whole label="Copy public address" />
        </Fact>
      )}
      <Fact label="Caching" help="What downloads say">
        {caching === null ? <None /> : <code>{caching}</code>}
      </Fact>
      <Fact label="Owner" help="sub of who uploaded it">
        {owner === null ? (
          <None>a key alone, or a session</None>
        ) : (
          <CopyText value={owner} label="Copy owner" />
        )}
      </Fact>
      <Fact label="Created">
        <Time at={file.created_at} />
      </Fact>
      <Fact label="Changed">
        <Time at={file.updated_at} />
      </Fact>
      <Fact label="ETag">
        {file.etag === null ? <None /> : <CopyText value={file.etag} label="Copy ETag" />}
      </Fact>
      <Fact label="Version">
        {file.version === null ? <None /> : <CopyText value={file.version} label="Copy version" />}
      </Fact>
      <Fact label="Id">
        <CopyText value={file.id} label="Copy id" />
      </Fact>
      <Fact label="History" help="What sessions did with it">
        <Link href={auditHref({ target_kind: 'object', target_id: `${bucket}/${name}` })}>
          Its changes in the audit log
        </Link>
      </Fact>
    </Facts>
  )
}

function sizeWords(bytes: number): string {
  const exact = `${bytes.toLocaleString('en')} ${bytes === 1 ? 'byte' : 'bytes'}`
  return bytes < 1024 ? exact : `${bytesText(bytes)} (${exact})`
}
