/// <reference types="vite/client" />
// The line above is for tests: they read types of modules that lead here, in a program that does not know Vite.

// The addresses that the build was made for (dashboard/addresses.ts checks them then).

export const API_URL: string = import.meta.env['VITE_API_URL']
export const OAUTH_PUBLIC_URL: string = import.meta.env['VITE_OAUTH_PUBLIC_URL']
export const IDENTITY_PUBLIC_URL: string = import.meta.env['VITE_IDENTITY_PUBLIC_URL']
