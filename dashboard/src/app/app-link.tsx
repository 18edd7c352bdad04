// Kumo's links: those to a view of ours go through the router, and keep the page.

import type { LinkComponentProps } from '@cloudflare/kumo'
import { useRouter } from '@tanstack/react-router'
import { forwardRef, type MouseEvent, type Ref } from 'react'

export const AppLink = forwardRef(function AppLink(
  { href, to: _, onClick, ...rest }: LinkComponentProps,
  ref: Ref<HTMLAnchorElement>,
) {
  const router = useRouter()
  const open = (event: MouseEvent<HTMLAnchorElement>) => {
    onClick?.(event)
    const opensElsewhere =
      event.button !== 0 ||
      event.metaKey ||
      event.ctrlKey ||
      event.shiftKey ||
      event.altKey ||
      rest.target === '_blank'
    if (event.defaultPrevented || opensElsewhere || !href?.startsWith('/')) return
    event.preventDefault()
    router.history.push(href)
  }
  return <a ref={ref} href={href} onClick={open} {...rest} />
})
