import { Link } from '@cloudflare/kumo'
import { SecretOnce } from '../../parts/secret-once.tsx'

/** The signing secret, this once, and what a receiver does with it. */
export function SecretDialog({
  title,
  secret,
  onClose,
}: {
  title: string
  secret: string
  onClose: () => void
}) {
  return (
    <SecretOnce title={title} secrets={{ 'Signing secret': secret }} onClose={onClose}>
      <p className="text-kumo-subtle">
        Give it to the receiver. There a library for{' '}
        <Link href="https://www.standardwebhooks.com/" target="_blank" rel="noreferrer">
          Standard Webhooks
        </Link>{' '}
        checks the header <code>webhook-signature</code> of each delivery against it and the raw body. Without
        a library: the header <code>X-Service-Signature</code> is the body’s HMAC-SHA256 in hex.
      </p>
    </SecretOnce>
  )
}
