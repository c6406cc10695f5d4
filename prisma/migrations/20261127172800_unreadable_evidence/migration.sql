-- AlterEnum
ALTER TYPE "evidence_fault" ADD VALUE 'unreadable';
