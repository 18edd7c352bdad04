// Copies a text, and says for a moment that it has.

import { useEffect, useState } from 'react'

const CONFIRMATION_MS = 1_500

export function useCopied() {
  const [isCopied, setCopied] = useState(false)
  useEffect(() => {
    if (!isCopied) return
    const timer = setTimeout(() => setCopied(false), CONFIRMATION_MS)
    return () => clearTimeout(timer)
  }, [isCopied])
  const copy = async (text: string) => {
    await navigator.clipboard.writeText(text)
    setCopied(true)
  }
  return { isCopied, copy }
}
