// Why a subject has what it has; each link can be removed, with who would lose what.

import { Button, LayerCard } from '@cloudflare/kumo'
import { XIcon } from '@phosphor-icons/react'
import { useEffect, useRef, useState } from 'react'
import { Chain } from '../../../parts/tuples/chain.tsx'
import { RemoveTuplesDialog } from '../../../parts/tuples/remove-dialog.tsx'
import type { Tuple } from '../../../parts/tuples/tuple-text.ts'
import { subjectTextWords } from '../../../parts/tuples/words.ts'
import { LossPreview } from './loss-preview.tsx'
import type { AccessReport, ObjectName } from './queries.ts'
import { isComplete, type Mark, viaOf } from './report.ts'

interface Asked {
  object: ObjectName
  report: AccessReport
}

export function ChainPanel({
  object,
  report,
  mark,
  onClose,
}: Asked & { mark: Mark | undefined; onClose: () => void }) {
  const [removing, setRemoving] = useState<Tuple>()
  const panel = useRef<HTMLElement>(null)
  const shown = useRef(mark?.subject)
  // It may stand beyond the screen, where the mark was chosen in a long matrix.
  useEffect(() => {
    if (mark !== undefined && mark.subject !== shown.current)
      panel.current?.scrollIntoView({ block: 'nearest' })
    shown.current = mark?.subject
  }, [mark])
  return (
    <section ref={panel} aria-label="Why" aria-live="polite" className="sticky top-0 scroll-mt-4">
      <LayerCard className="flex flex-col gap-3 p-4">
        {mark === undefined ? (
          <p className="text-kumo-subtle">
            Choose a mark, or somebody in the graph: the tuples that give it are shown here, and can be
            removed.
          </p>
        ) : (
          <Why object={object} report={report} mark={mark} onRemove={setRemoving} onClose={onClose} />
        )}
      </LayerCard>
      {removing !== undefined && (
        <RemoveTuplesDialog
          title="Remove this link?"
          action="Remove link"
          tuples={[removing]}
          onClose={() => setRemoving(undefined)}
        >
          <LossPreview object={object} before={report} without={removing} />
        </RemoveTuplesDialog>
      )}
    </section>
  )
}

function Why({
  object,
  report,
  mark,
  onRemove,
  onClose,
}: Asked & { mark: Mark; onRemove: (tuple: Tuple) => void; onClose: () => void }) {
  const via = viaOf(report, mark)
  return (
    <>
      <div className="flex items-start gap-2">
        <h2 className="min-w-0 flex-1 font-semibold wrap-anywhere">
          {subjectTextWords(mark.subject)}: {mark.by} on {object.object}
        </h2>
        <Button size="sm" variant="ghost" shape="square" icon={XIcon} aria-label="Close" onClick={onClose} />
      </div>
      {via === undefined ? (
        <p>{isComplete(report, mark.by) ? 'No.' : 'None was found, but one may be hidden.'}</p>
      ) : (
        <Chain via={via} asked={mark.by} onRemove={onRemove} />
      )}
    </>
  )
}
