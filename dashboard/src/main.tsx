import './style.css'
import { LinkProvider, Toasty, TooltipProvider } from '@cloudflare/kumo'
import { QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { queryClient } from './api/query-client.ts'
import { AppLink } from './app/app-link.tsx'
import { router } from './app/router.ts'
import { ClockProvider } from './parts/time.tsx'
import { toasts } from './parts/toasts.ts'

const root = document.getElementById('root')
if (root === null) throw new Error('index.html has no #root')

createRoot(root).render(
  <StrictMode>
    <QueryClientProvider client={queryClient}>
      <LinkProvider component={AppLink}>
        <Toasty toastManager={toasts} container={document.getElementById('toasts')}>
          <TooltipProvider>
            <ClockProvider>
              <RouterProvider router={router} />
            </ClockProvider>
          </TooltipProvider>
        </Toasty>
      </LinkProvider>
    </QueryClientProvider>
  </StrictMode>,
)
