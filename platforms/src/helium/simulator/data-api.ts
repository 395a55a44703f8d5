import type { FastifyInstance } from 'fastify';
import type { Platform } from './platform-routes.ts';

export function registerDataApi(_server: FastifyInstance, _platform: Platform): void {}
