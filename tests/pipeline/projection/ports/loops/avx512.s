	.file	"loops.cpp"
	.text
	.p2align 4
	.globl	dot
	.type	dot, @function
dot:
.LFB984:
	.cfi_startproc
	movq	%rdi, %rcx
	testq	%rdi, %rdi
	jle	.L9
	leaq	-1(%rdi), %rax
	cmpq	$6, %rax
	jbe	.L10
	shrq	$3, %rdi
	xorl	%eax, %eax
	vxorpd	%xmm1, %xmm1, %xmm1
	salq	$6, %rdi
	.p2align 4,,10
	.p2align 3
.L4:
	vmovupd	(%rsi,%rax), %zmm4
	vfmadd231pd	(%rdx,%rax), %zmm4, %zmm1
	addq	$64, %rax
	cmpq	%rax, %rdi
	jne	.L4
	vextractf64x4	$0x1, %zmm1, %ymm3
	movq	%rcx, %rax
	vaddpd	%ymm1, %ymm3, %ymm0
	andq	$-8, %rax
	vaddpd	%ymm3, %ymm1, %ymm1
	movq	%rax, %rdi
	vextractf64x2	$0x1, %ymm0, %xmm2
	vaddpd	%xmm0, %xmm2, %xmm2
	vunpckhpd	%xmm2, %xmm2, %xmm0
	vaddpd	%xmm2, %xmm0, %xmm0
	cmpq	%rax, %rcx
	je	.L17
.L3:
	movq	%rcx, %r8
	subq	%rdi, %r8
	leaq	-1(%r8), %r9
	cmpq	$2, %r9
	jbe	.L7
	vmovupd	(%rsi,%rdi,8), %ymm5
	vfmadd231pd	(%rdx,%rdi,8), %ymm5, %ymm1
	movq	%r8, %rdi
	andq	$-4, %rdi
	addq	%rdi, %rax
	andl	$3, %r8d
	vextractf64x2	$0x1, %ymm1, %xmm0
	vaddpd	%xmm1, %xmm0, %xmm1
	vunpckhpd	%xmm1, %xmm1, %xmm0
	vaddpd	%xmm1, %xmm0, %xmm0
	je	.L17
.L7:
	leaq	1(%rax), %r8
	vmovsd	(%rsi,%rax,8), %xmm6
	leaq	0(,%rax,8), %rdi
	vfmadd231sd	(%rdx,%rax,8), %xmm6, %xmm0
	cmpq	%r8, %rcx
	jle	.L17
	addq	$2, %rax
	vmovsd	8(%rdx,%rdi), %xmm7
	vfmadd231sd	8(%rsi,%rdi), %xmm7, %xmm0
	cmpq	%rax, %rcx
	jle	.L17
	vmovsd	16(%rsi,%rdi), %xmm7
	vfmadd231sd	16(%rdx,%rdi), %xmm7, %xmm0
	vzeroupper
	ret
	.p2align 4,,10
	.p2align 3
.L17:
	vzeroupper
	ret
	.p2align 4,,10
	.p2align 3
.L9:
	vxorpd	%xmm0, %xmm0, %xmm0
	ret
.L10:
	vxorpd	%xmm1, %xmm1, %xmm1
	xorl	%edi, %edi
	vxorpd	%xmm0, %xmm0, %xmm0
	xorl	%eax, %eax
	jmp	.L3
	.cfi_endproc
.LFE984:
	.size	dot, .-dot
	.p2align 4
	.globl	daxpy
	.type	daxpy, @function
daxpy:
.LFB985:
	.cfi_startproc
	movq	%rdi, %rcx
	testq	%rdi, %rdi
	jle	.L34
	leaq	-1(%rdi), %rax
	cmpq	$6, %rax
	jbe	.L26
	shrq	$3, %rdi
	vbroadcastsd	%xmm0, %zmm2
	xorl	%eax, %eax
	salq	$6, %rdi
	.p2align 4,,10
	.p2align 3
.L22:
	vmovupd	(%rsi,%rax), %zmm1
	vfmadd213pd	(%rdx,%rax), %zmm2, %zmm1
	vmovupd	%zmm1, (%rdx,%rax)
	addq	$64, %rax
	cmpq	%rax, %rdi
	jne	.L22
	movq	%rcx, %rax
	andq	$-8, %rax
	movq	%rax, %rdi
	cmpq	%rax, %rcx
	je	.L33
.L21:
	movq	%rcx, %r8
	subq	%rdi, %r8
	leaq	-1(%r8), %r9
	cmpq	$2, %r9
	jbe	.L24
	leaq	(%rdx,%rdi,8), %r9
	vbroadcastsd	%xmm0, %ymm1
	vmovupd	(%r9), %ymm3
	vfmadd132pd	(%rsi,%rdi,8), %ymm3, %ymm1
	movq	%r8, %rdi
	andq	$-4, %rdi
	addq	%rdi, %rax
	andl	$3, %r8d
	vmovupd	%ymm1, (%r9)
	je	.L33
.L24:
	leaq	0(,%rax,8), %rdi
	vmovsd	(%rsi,%rax,8), %xmm1
	leaq	(%rdx,%rdi), %r8
	vfmadd213sd	(%r8), %xmm0, %xmm1
	vmovsd	%xmm1, (%r8)
	leaq	1(%rax), %r8
	cmpq	%r8, %rcx
	jle	.L33
	leaq	8(%rdx,%rdi), %r8
	vmovsd	8(%rsi,%rdi), %xmm1
	addq	$2, %rax
	vfmadd213sd	(%r8), %xmm0, %xmm1
	vmovsd	%xmm1, (%r8)
	cmpq	%rax, %rcx
	jle	.L33
	leaq	16(%rdx,%rdi), %rax
	vmovsd	(%rax), %xmm4
	vfmadd132sd	16(%rsi,%rdi), %xmm4, %xmm0
	vmovsd	%xmm0, (%rax)
	vzeroupper
	ret
	.p2align 4,,10
	.p2align 3
.L33:
	vzeroupper
.L34:
	ret
.L26:
	xorl	%edi, %edi
	xorl	%eax, %eax
	jmp	.L21
	.cfi_endproc
.LFE985:
	.size	daxpy, .-daxpy
	.p2align 4
	.globl	stencil
	.type	stencil, @function
stencil:
.LFB986:
	.cfi_startproc
	movq	%rsi, %rcx
	movq	%rdx, %r10
	cmpq	$2, %rdi
	jle	.L56
	leaq	-3(%rdi), %rax
	leaq	-2(%rdi), %r9
	cmpq	$6, %rax
	jbe	.L45
	vbroadcastsd	.LC2(%rip), %zmm2
	movq	%r9, %rdx
	xorl	%eax, %eax
	vbroadcastsd	.LC4(%rip), %zmm1
	shrq	$3, %rdx
	salq	$6, %rdx
	.p2align 4,,10
	.p2align 3
.L38:
	vmovupd	(%rcx,%rax), %zmm5
	vaddpd	16(%rcx,%rax), %zmm5, %zmm0
	vmulpd	%zmm2, %zmm0, %zmm0
	vfmadd231pd	8(%rcx,%rax), %zmm1, %zmm0
	vmovupd	%zmm0, 8(%r10,%rax)
	addq	$64, %rax
	cmpq	%rdx, %rax
	jne	.L38
	movq	%r9, %rdx
	andq	$-8, %rdx
	leaq	1(%rdx), %rax
	testb	$7, %r9b
	je	.L55
.L37:
	movq	%rdi, %rsi
	subq	%rdx, %rsi
	leaq	-2(%rsi), %r8
	subq	$3, %rsi
	cmpq	$2, %rsi
	jbe	.L40
	vmovupd	16(%rcx,%rdx,8), %ymm6
	vaddpd	(%rcx,%rdx,8), %ymm6, %ymm0
	vmovupd	8(%rcx,%rdx,8), %ymm7
	vmulpd	.LC2(%rip){1to4}, %ymm0, %ymm0
	vfmadd231pd	.LC4(%rip){1to4}, %ymm7, %ymm0
	vmovupd	%ymm0, 8(%r10,%rdx,8)
	movq	%r8, %rdx
	andq	$-4, %rdx
	addq	%rdx, %rax
	andl	$3, %r8d
	je	.L55
.L40:
	leaq	0(,%rax,8), %rdx
	leaq	1(%rax), %rsi
	leaq	(%rcx,%rdx), %r8
	cmpq	%r9, %rsi
	jge	.L42
	vmovupd	8(%rcx,%rdx), %xmm1
	vaddpd	-8(%r8), %xmm1, %xmm0
	leaq	3(%rax), %rsi
	vmovddup	.LC2(%rip), %xmm3
	vmovddup	.LC4(%rip), %xmm4
	vmovsd	16(%rcx,%rdx), %xmm2
	vmulpd	%xmm3, %xmm0, %xmm0
	vfmadd231pd	(%r8), %xmm4, %xmm0
	vmovupd	%xmm0, (%r10,%rax,8)
	cmpq	%rsi, %r9
	jg	.L43
	addq	$2, %rax
	leaq	0(,%rax,8), %rdx
	leaq	1(%rax), %rsi
.L42:
	vmovsd	8(%rcx,%rdx), %xmm2
	vaddsd	-8(%rcx,%rdx), %xmm2, %xmm1
	subq	$1, %rdi
	vmovsd	.LC2(%rip), %xmm4
	vmovsd	(%rcx,%rax,8), %xmm0
	vmovsd	.LC4(%rip), %xmm3
	vmulsd	%xmm4, %xmm1, %xmm1
	vfmadd231sd	%xmm3, %xmm0, %xmm1
	vmovsd	%xmm1, (%r10,%rdx)
	cmpq	%rsi, %rdi
	jle	.L55
	vmovsd	16(%rcx,%rdx), %xmm1
	addq	$2, %rax
	vaddsd	%xmm1, %xmm0, %xmm0
	vmulsd	%xmm4, %xmm0, %xmm0
	vfmadd132sd	%xmm3, %xmm0, %xmm2
	vmovsd	%xmm2, 8(%r10,%rdx)
	cmpq	%rax, %rdi
	jle	.L55
	vmovsd	24(%rcx,%rdx), %xmm0
	vaddsd	8(%rcx,%rdx), %xmm0, %xmm0
	vmulsd	%xmm4, %xmm0, %xmm0
	vfmadd132sd	%xmm3, %xmm0, %xmm1
	vmovsd	%xmm1, 16(%r10,%rdx)
	vzeroupper
	ret
	.p2align 4,,10
	.p2align 3
.L55:
	vzeroupper
.L56:
	ret
	.p2align 4,,10
	.p2align 3
.L43:
	leaq	24(%rcx,%rdx), %rsi
	vmovhpd	(%rsi), %xmm2, %xmm2
	vmovupd	(%rsi), %xmm0
	leaq	5(%rax), %rsi
	vmulpd	%xmm4, %xmm2, %xmm2
	vaddpd	%xmm1, %xmm0, %xmm1
	vfmadd132pd	%xmm3, %xmm2, %xmm1
	vmovsd	32(%rcx,%rdx), %xmm2
	vmovupd	%xmm1, 16(%r10,%rdx)
	cmpq	%rsi, %r9
	jle	.L57
	leaq	40(%rcx,%rdx), %rsi
	addq	$6, %rax
	vmovhpd	(%rsi), %xmm2, %xmm1
	vaddpd	(%rsi), %xmm0, %xmm0
	leaq	1(%rax), %rsi
	vmulpd	%xmm4, %xmm1, %xmm1
	vfmadd132pd	%xmm3, %xmm1, %xmm0
	vmovupd	%xmm0, 32(%r10,%rdx)
	leaq	0(,%rax,8), %rdx
	jmp	.L42
	.p2align 4,,10
	.p2align 3
.L57:
	addq	$4, %rax
	leaq	0(,%rax,8), %rdx
	leaq	1(%rax), %rsi
	jmp	.L42
.L45:
	xorl	%edx, %edx
	movl	$1, %eax
	jmp	.L37
	.cfi_endproc
.LFE986:
	.size	stencil, .-stencil
	.p2align 4
	.globl	gather
	.type	gather, @function
gather:
.LFB987:
	.cfi_startproc
	testq	%rdi, %rdi
	jle	.L79
	pushq	%rbp
	.cfi_def_cfa_offset 16
	.cfi_offset 6, -16
	movq	%rdx, %r9
	leaq	-1(%rdi), %rdx
	movq	%rsi, %rax
	movq	%rcx, %rsi
	movq	%rsp, %rbp
	.cfi_def_cfa_register 6
	pushq	%r15
	pushq	%r14
	pushq	%r13
	pushq	%r12
	pushq	%rbx
	andq	$-64, %rsp
	.cfi_offset 15, -24
	.cfi_offset 14, -32
	.cfi_offset 13, -40
	.cfi_offset 12, -48
	.cfi_offset 3, -56
	cmpq	$14, %rdx
	jbe	.L65
	movq	%rdi, %r8
	xorl	%ecx, %ecx
	shrq	$4, %r8
	salq	$6, %r8
	movq	%r8, -8(%rsp)
	.p2align 4,,10
	.p2align 3
.L61:
	leaq	(%r9,%rcx), %rdx
	movslq	48(%rdx), %r14
	movslq	56(%rdx), %r8
	movslq	52(%rdx), %r13
	movslq	60(%rdx), %r15
	vmovsd	(%rax,%r14,8), %xmm1
	vmovsd	(%rax,%r8,8), %xmm0
	movslq	32(%rdx), %r11
	movslq	40(%rdx), %r12
	vmovhpd	(%rax,%r15,8), %xmm0, %xmm0
	vmovhpd	(%rax,%r13,8), %xmm1, %xmm1
	movslq	36(%rdx), %r10
	movslq	44(%rdx), %rbx
	vinsertf128	$0x1, %xmm0, %ymm1, %ymm1
	vmovsd	(%rax,%r12,8), %xmm2
	vmovsd	(%rax,%r11,8), %xmm0
	movslq	16(%rdx), %r14
	movslq	24(%rdx), %r15
	vmovhpd	(%rax,%rbx,8), %xmm2, %xmm2
	vmovhpd	(%rax,%r10,8), %xmm0, %xmm0
	movslq	(%rdx), %r11
	movslq	4(%rdx), %r10
	vinsertf128	$0x1, %xmm2, %ymm0, %ymm0
	movslq	8(%rdx), %r12
	movslq	12(%rdx), %rbx
	movslq	20(%rdx), %r13
	vmovsd	(%rax,%r14,8), %xmm2
	vinsertf64x4	$0x1, %ymm1, %zmm0, %zmm0
	movslq	28(%rdx), %rdx
	vmovsd	(%rax,%r15,8), %xmm1
	vaddpd	%zmm0, %zmm0, %zmm0
	vmovhpd	(%rax,%r13,8), %xmm2, %xmm2
	vmovsd	(%rax,%r12,8), %xmm3
	vmovhpd	(%rax,%rdx,8), %xmm1, %xmm1
	vinsertf128	$0x1, %xmm1, %ymm2, %ymm2
	vmovsd	(%rax,%r11,8), %xmm1
	vmovhpd	(%rax,%rbx,8), %xmm3, %xmm3
	vmovhpd	(%rax,%r10,8), %xmm1, %xmm1
	vinsertf128	$0x1, %xmm3, %ymm1, %ymm1
	vinsertf64x4	$0x1, %ymm2, %zmm1, %zmm1
	vaddpd	%zmm1, %zmm1, %zmm1
	vmovupd	%zmm1, (%rsi,%rcx,2)
	vmovupd	%zmm0, 64(%rsi,%rcx,2)
	addq	$64, %rcx
	cmpq	%rcx, -8(%rsp)
	jne	.L61
	movq	%rdi, %rcx
	andq	$-16, %rcx
	movq	%rcx, %r8
	cmpq	%rcx, %rdi
	je	.L76
.L60:
	movq	%rdi, %r10
	subq	%r8, %r10
	leaq	-1(%r10), %rdx
	cmpq	$6, %rdx
	jbe	.L63
	leaq	(%r9,%r8,4), %rdx
	leaq	(%rsi,%r8,8), %r8
	movslq	24(%rdx), %r13
	movslq	16(%rdx), %rbx
	movslq	28(%rdx), %r12
	movslq	20(%rdx), %r11
	vmovsd	(%rax,%r13,8), %xmm1
	vmovsd	(%rax,%rbx,8), %xmm0
	movslq	(%rdx), %rbx
	vmovhpd	(%rax,%r12,8), %xmm1, %xmm1
	movslq	8(%rdx), %r12
	vmovhpd	(%rax,%r11,8), %xmm0, %xmm0
	movslq	4(%rdx), %r11
	vinsertf128	$0x1, %xmm1, %ymm0, %ymm0
	movslq	12(%rdx), %rdx
	vmovsd	(%rax,%rbx,8), %xmm1
	vmovsd	(%rax,%r12,8), %xmm2
	vaddpd	%ymm0, %ymm0, %ymm0
	vmovhpd	(%rax,%r11,8), %xmm1, %xmm1
	vmovhpd	(%rax,%rdx,8), %xmm2, %xmm2
	movq	%r10, %rdx
	vinsertf128	$0x1, %xmm2, %ymm1, %ymm1
	andq	$-8, %rdx
	vmovupd	%ymm0, 32(%r8)
	vaddpd	%ymm1, %ymm1, %ymm1
	addq	%rdx, %rcx
	andl	$7, %r10d
	vmovupd	%ymm1, (%r8)
	je	.L76
.L63:
	movslq	(%r9,%rcx,4), %r10
	leaq	0(,%rcx,4), %r8
	leaq	0(,%rcx,8), %rdx
	vmovsd	(%rax,%r10,8), %xmm0
	leaq	1(%rcx), %r10
	vaddsd	%xmm0, %xmm0, %xmm0
	vmovsd	%xmm0, (%rsi,%rcx,8)
	cmpq	%r10, %rdi
	jle	.L76
	movslq	4(%r9,%r8), %r10
	vmovsd	(%rax,%r10,8), %xmm0
	leaq	2(%rcx), %r10
	vaddsd	%xmm0, %xmm0, %xmm0
	vmovsd	%xmm0, 8(%rsi,%rdx)
	cmpq	%r10, %rdi
	jle	.L76
	movslq	8(%r9,%r8), %r10
	vmovsd	(%rax,%r10,8), %xmm0
	leaq	3(%rcx), %r10
	vaddsd	%xmm0, %xmm0, %xmm0
	vmovsd	%xmm0, 16(%rsi,%rdx)
	cmpq	%r10, %rdi
	jle	.L76
	movslq	12(%r9,%r8), %r10
	vmovsd	(%rax,%r10,8), %xmm0
	leaq	4(%rcx), %r10
	vaddsd	%xmm0, %xmm0, %xmm0
	vmovsd	%xmm0, 24(%rsi,%rdx)
	cmpq	%r10, %rdi
	jle	.L76
	movslq	16(%r9,%r8), %r10
	vmovsd	(%rax,%r10,8), %xmm0
	leaq	5(%rcx), %r10
	vaddsd	%xmm0, %xmm0, %xmm0
	vmovsd	%xmm0, 32(%rsi,%rdx)
	cmpq	%r10, %rdi
	jle	.L76
	movslq	20(%r9,%r8), %r10
	addq	$6, %rcx
	vmovsd	(%rax,%r10,8), %xmm0
	vaddsd	%xmm0, %xmm0, %xmm0
	vmovsd	%xmm0, 40(%rsi,%rdx)
	cmpq	%rcx, %rdi
	jle	.L76
	movslq	24(%r9,%r8), %rcx
	vmovsd	(%rax,%rcx,8), %xmm0
	vaddsd	%xmm0, %xmm0, %xmm0
	vmovsd	%xmm0, 48(%rsi,%rdx)
	vzeroupper
	leaq	-40(%rbp), %rsp
	popq	%rbx
	popq	%r12
	popq	%r13
	popq	%r14
	popq	%r15
	popq	%rbp
	.cfi_remember_state
	.cfi_def_cfa 7, 8
	ret
	.p2align 4,,10
	.p2align 3
.L76:
	.cfi_restore_state
	vzeroupper
	leaq	-40(%rbp), %rsp
	popq	%rbx
	popq	%r12
	popq	%r13
	popq	%r14
	popq	%r15
	popq	%rbp
	.cfi_def_cfa 7, 8
	ret
	.p2align 4,,10
	.p2align 3
.L79:
	.cfi_restore 3
	.cfi_restore 6
	.cfi_restore 12
	.cfi_restore 13
	.cfi_restore 14
	.cfi_restore 15
	ret
.L65:
	.cfi_def_cfa 6, 16
	.cfi_offset 3, -56
	.cfi_offset 6, -16
	.cfi_offset 12, -48
	.cfi_offset 13, -40
	.cfi_offset 14, -32
	.cfi_offset 15, -24
	xorl	%r8d, %r8d
	xorl	%ecx, %ecx
	jmp	.L60
	.cfi_endproc
.LFE987:
	.size	gather, .-gather
	.p2align 4
	.globl	division
	.type	division, @function
division:
.LFB988:
	.cfi_startproc
	testq	%rdi, %rdi
	jle	.L97
	leaq	-1(%rdi), %rax
	cmpq	$6, %rax
	jbe	.L89
	movq	%rdi, %r8
	xorl	%eax, %eax
	shrq	$3, %r8
	salq	$6, %r8
	.p2align 4,,10
	.p2align 3
.L85:
	vmovupd	(%rsi,%rax), %zmm1
	vdivpd	(%rdx,%rax), %zmm1, %zmm0
	vmovupd	%zmm0, (%rcx,%rax)
	addq	$64, %rax
	cmpq	%r8, %rax
	jne	.L85
	movq	%rdi, %rax
	andq	$-8, %rax
	movq	%rax, %r8
	cmpq	%rax, %rdi
	je	.L96
.L84:
	movq	%rdi, %r9
	subq	%r8, %r9
	leaq	-1(%r9), %r10
	cmpq	$2, %r10
	jbe	.L87
	vmovupd	(%rsi,%r8,8), %ymm2
	vdivpd	(%rdx,%r8,8), %ymm2, %ymm0
	vmovupd	%ymm0, (%rcx,%r8,8)
	movq	%r9, %r8
	andq	$-4, %r8
	addq	%r8, %rax
	andl	$3, %r9d
	je	.L96
.L87:
	leaq	1(%rax), %r9
	vmovsd	(%rsi,%rax,8), %xmm0
	leaq	0(,%rax,8), %r8
	vdivsd	(%rdx,%rax,8), %xmm0, %xmm0
	vmovsd	%xmm0, (%rcx,%rax,8)
	cmpq	%r9, %rdi
	jle	.L96
	addq	$2, %rax
	vmovsd	8(%rsi,%r8), %xmm0
	vdivsd	8(%rdx,%r8), %xmm0, %xmm0
	vmovsd	%xmm0, 8(%rcx,%r8)
	cmpq	%rax, %rdi
	jle	.L96
	vmovsd	16(%rsi,%r8), %xmm0
	vdivsd	16(%rdx,%r8), %xmm0, %xmm0
	vmovsd	%xmm0, 16(%rcx,%r8)
	vzeroupper
	ret
	.p2align 4,,10
	.p2align 3
.L96:
	vzeroupper
.L97:
	ret
.L89:
	xorl	%r8d, %r8d
	xorl	%eax, %eax
	jmp	.L84
	.cfi_endproc
.LFE988:
	.size	division, .-division
	.p2align 4
	.globl	square_root
	.type	square_root, @function
square_root:
.LFB989:
	.cfi_startproc
	movq	%rdi, %rcx
	testq	%rdi, %rdi
	jle	.L113
	leaq	-1(%rdi), %rax
	cmpq	$6, %rax
	jbe	.L105
	shrq	$3, %rdi
	xorl	%eax, %eax
	salq	$6, %rdi
	.p2align 4,,10
	.p2align 3
.L101:
	vsqrtpd	(%rsi,%rax), %zmm0
	vmovupd	%zmm0, (%rdx,%rax)
	addq	$64, %rax
	cmpq	%rax, %rdi
	jne	.L101
	movq	%rcx, %rax
	andq	$-8, %rax
	movq	%rax, %rdi
	cmpq	%rax, %rcx
	je	.L112
.L100:
	movq	%rcx, %r8
	subq	%rdi, %r8
	leaq	-1(%r8), %r9
	cmpq	$2, %r9
	jbe	.L103
	vsqrtpd	(%rsi,%rdi,8), %ymm0
	vmovupd	%ymm0, (%rdx,%rdi,8)
	movq	%r8, %rdi
	andq	$-4, %rdi
	addq	%rdi, %rax
	andl	$3, %r8d
	je	.L112
.L103:
	vxorps	%xmm0, %xmm0, %xmm0
	vsqrtsd	(%rsi,%rax,8), %xmm0, %xmm1
	leaq	1(%rax), %r8
	leaq	0(,%rax,8), %rdi
	vmovsd	%xmm1, (%rdx,%rax,8)
	cmpq	%r8, %rcx
	jle	.L112
	vsqrtsd	8(%rsi,%rdi), %xmm0, %xmm1
	addq	$2, %rax
	vmovsd	%xmm1, 8(%rdx,%rdi)
	cmpq	%rcx, %rax
	jge	.L112
	vsqrtsd	16(%rsi,%rdi), %xmm0, %xmm0
	vmovsd	%xmm0, 16(%rdx,%rdi)
	vzeroupper
	ret
	.p2align 4,,10
	.p2align 3
.L112:
	vzeroupper
.L113:
	ret
.L105:
	xorl	%edi, %edi
	xorl	%eax, %eax
	jmp	.L100
	.cfi_endproc
.LFE989:
	.size	square_root, .-square_root
	.p2align 4
	.globl	flux
	.type	flux, @function
flux:
.LFB990:
	.cfi_startproc
	movq	%rcx, %rax
	testq	%rdi, %rdi
	jle	.L119
	vmovsd	.LC9(%rip), %xmm11
	leaq	(%rsi,%rdi,8), %rcx
	vmovddup	.LC4(%rip), %xmm14
	vmovddup	.LC11(%rip), %xmm13
	vmovddup	.LC13(%rip), %xmm12
	.p2align 4,,10
	.p2align 3
.L116:
	movl	(%rsi), %edi
	addq	$8, %rsi
	addq	$24, %rdx
	addq	$40, %r8
	leal	(%rdi,%rdi,4), %edi
	movslq	%edi, %rdi
	leaq	(%rax,%rdi,8), %r9
	movl	-4(%rsi), %edi
	vmovsd	(%r9), %xmm9
	vmovsd	16(%r9), %xmm10
	leal	(%rdi,%rdi,4), %edi
	vmovsd	8(%r9), %xmm15
	vmovsd	24(%r9), %xmm8
	vdivsd	%xmm9, %xmm11, %xmm1
	movslq	%edi, %rdi
	vmovsd	32(%r9), %xmm17
	leaq	(%rax,%rdi,8), %rdi
	vmovsd	(%rdi), %xmm20
	vmovsd	16(%rdi), %xmm19
	vmovsd	8(%rdi), %xmm21
	vmovsd	24(%rdi), %xmm18
	vunpcklpd	%xmm20, %xmm9, %xmm6
	vmovsd	32(%rdi), %xmm16
	vmulpd	%xmm14, %xmm6, %xmm0
	vunpcklpd	%xmm16, %xmm17, %xmm5
	vdivsd	%xmm20, %xmm11, %xmm2
	vmulsd	%xmm1, %xmm10, %xmm24
	vmulsd	%xmm1, %xmm15, %xmm7
	vmulsd	%xmm1, %xmm8, %xmm1
	vmulsd	%xmm24, %xmm24, %xmm3
	vfmadd231sd	%xmm7, %xmm7, %xmm3
	vfmadd231sd	%xmm1, %xmm1, %xmm3
	vmulsd	%xmm19, %xmm2, %xmm23
	vmulsd	%xmm21, %xmm2, %xmm22
	vmulsd	%xmm18, %xmm2, %xmm2
	vmulsd	%xmm23, %xmm23, %xmm4
	vfmadd231sd	%xmm22, %xmm22, %xmm4
	vfmadd231sd	%xmm2, %xmm2, %xmm4
	vunpcklpd	%xmm4, %xmm3, %xmm3
	vmovsd	-16(%rdx), %xmm4
	vfnmadd132pd	%xmm3, %xmm5, %xmm0
	vmulsd	%xmm24, %xmm4, %xmm24
	vmulsd	%xmm23, %xmm4, %xmm23
	vmulpd	%xmm13, %xmm0, %xmm0
	vmulpd	%xmm12, %xmm0, %xmm5
	vdivpd	%xmm6, %xmm5, %xmm5
	vmovsd	-24(%rdx), %xmm6
	vfmadd132sd	%xmm6, %xmm24, %xmm7
	vfmadd132sd	%xmm6, %xmm23, %xmm22
	vmovsd	%xmm7, %xmm7, %xmm3
	vmovsd	-8(%rdx), %xmm7
	vfmadd132sd	%xmm7, %xmm22, %xmm2
	vfmadd132sd	%xmm7, %xmm3, %xmm1
	vsqrtpd	%xmm5, %xmm5
	vunpckhpd	%xmm5, %xmm5, %xmm3
	vaddpd	%xmm5, %xmm3, %xmm3
	vsubsd	%xmm20, %xmm9, %xmm5
	vmulsd	%xmm2, %xmm20, %xmm20
	vfmadd132sd	%xmm1, %xmm20, %xmm9
	vmulsd	%xmm2, %xmm21, %xmm20
	vfmadd132sd	%xmm3, %xmm9, %xmm5
	vunpckhpd	%xmm0, %xmm0, %xmm9
	vfmadd231sd	%xmm1, %xmm15, %xmm20
	vsubsd	%xmm21, %xmm15, %xmm15
	vaddpd	%xmm0, %xmm9, %xmm9
	vmulsd	%xmm3, %xmm15, %xmm15
	vfmadd132sd	%xmm9, %xmm15, %xmm6
	vmulsd	%xmm2, %xmm19, %xmm15
	vaddsd	%xmm20, %xmm6, %xmm6
	vfmadd231sd	%xmm1, %xmm10, %xmm15
	vsubsd	%xmm19, %xmm10, %xmm10
	vunpcklpd	%xmm6, %xmm5, %xmm5
	vmulsd	%xmm3, %xmm10, %xmm10
	vfmadd132sd	%xmm9, %xmm10, %xmm4
	vmulsd	%xmm2, %xmm18, %xmm10
	vaddsd	%xmm15, %xmm4, %xmm4
	vfmadd231sd	%xmm1, %xmm8, %xmm10
	vsubsd	%xmm18, %xmm8, %xmm8
	vmulsd	%xmm3, %xmm8, %xmm8
	vfmadd132sd	%xmm9, %xmm8, %xmm7
	vaddsd	%xmm10, %xmm7, %xmm7
	vunpcklpd	%xmm7, %xmm4, %xmm4
	vinsertf128	$0x1, %xmm4, %ymm5, %ymm4
	vsubsd	%xmm16, %xmm17, %xmm5
	vmovupd	%ymm4, -40(%r8)
	vaddsd	%xmm17, %xmm0, %xmm4
	vunpckhpd	%xmm0, %xmm0, %xmm0
	vaddsd	%xmm16, %xmm0, %xmm0
	vmulsd	%xmm2, %xmm0, %xmm0
	vfmadd231sd	%xmm1, %xmm4, %xmm0
	vfmadd132sd	%xmm3, %xmm0, %xmm5
	vmovsd	%xmm5, -8(%r8)
	cmpq	%rcx, %rsi
	jne	.L116
	vzeroupper
.L119:
	ret
	.cfi_endproc
.LFE990:
	.size	flux, .-flux
	.p2align 4
	.globl	integer
	.type	integer, @function
integer:
.LFB991:
	.cfi_startproc
	movabsq	$1469598103934665603, %rax
	testq	%rdi, %rdi
	jle	.L138
	leaq	-1(%rdi), %rdx
	movq	%rdi, %rcx
	cmpq	$6, %rdx
	jbe	.L129
	movq	%rdi, %rdx
	movl	$8, %edi
	movq	%rsi, %rax
	vmovdqa64	.LC14(%rip), %zmm2
	shrq	$3, %rdx
	vpbroadcastq	%rdi, %zmm7
	vpxor	%xmm3, %xmm3, %xmm3
	movabsq	$-7046029254386353131, %rdi
	salq	$6, %rdx
	vpbroadcastq	%rdi, %zmm6
	addq	%rsi, %rdx
	.p2align 4,,10
	.p2align 3
.L123:
	vpsrlq	$29, (%rax), %zmm1
	vpxorq	(%rax), %zmm1, %zmm1
	vmovdqa64	%zmm2, %zmm0
	addq	$64, %rax
	vpaddq	%zmm7, %zmm2, %zmm2
	vpmullq	%zmm6, %zmm1, %zmm5
	vpsllq	$7, %zmm1, %zmm4
	vpandq	%zmm1, %zmm0, %zmm0
	vpternlogq	$150, %zmm5, %zmm4, %zmm0
	vpaddq	%zmm0, %zmm3, %zmm3
	cmpq	%rax, %rdx
	jne	.L123
	movabsq	$1469598103934665603, %rdx
	vmovdqa	%ymm3, %ymm0
	vextracti64x4	$0x1, %zmm3, %ymm3
	vpaddq	%ymm3, %ymm0, %ymm3
	vextracti64x2	$0x1, %ymm3, %xmm1
	vpaddq	%xmm1, %xmm3, %xmm0
	vpsrldq	$8, %xmm0, %xmm1
	vpaddq	%xmm1, %xmm0, %xmm0
	vmovq	%xmm0, %rax
	addq	%rdx, %rax
	movq	%rcx, %rdx
	andq	$-8, %rdx
	movq	%rdx, %r8
	cmpq	%rcx, %rdx
	je	.L135
.L122:
	movq	%rcx, %rdi
	subq	%r8, %rdi
	leaq	-1(%rdi), %r9
	cmpq	$2, %r9
	jbe	.L126
	vmovdqu	(%rsi,%r8,8), %ymm0
	movabsq	$-7046029254386353131, %rax
	movabsq	$1469598103934665603, %r8
	vpbroadcastq	%rax, %ymm1
	vpsrlq	$29, %ymm0, %ymm2
	vpxor	%ymm0, %ymm2, %ymm2
	vpbroadcastq	%rdx, %ymm0
	vpaddq	.LC18(%rip), %ymm0, %ymm0
	vpmullq	%ymm1, %ymm2, %ymm1
	vpsllq	$7, %ymm2, %ymm4
	vpand	%ymm2, %ymm0, %ymm0
	vpternlogq	$150, %ymm1, %ymm4, %ymm0
	vpaddq	%ymm3, %ymm0, %ymm0
	vmovdqa	%xmm0, %xmm1
	vextracti64x2	$0x1, %ymm0, %xmm0
	vpaddq	%xmm0, %xmm1, %xmm0
	vpsrldq	$8, %xmm0, %xmm1
	vpaddq	%xmm1, %xmm0, %xmm0
	vmovq	%xmm0, %rax
	addq	%r8, %rax
	movq	%rdi, %r8
	andq	$-4, %r8
	addq	%r8, %rdx
	andl	$3, %edi
	je	.L135
.L126:
	movq	(%rsi,%rdx,8), %rdi
	leaq	0(,%rdx,8), %r11
	movq	%rdi, %r8
	shrq	$29, %r8
	xorq	%rdi, %r8
	movabsq	$-7046029254386353131, %rdi
	movq	%r8, %r9
	movq	%r8, %r10
	andq	%rdx, %r8
	imulq	%rdi, %r9
	salq	$7, %r10
	xorq	%r10, %r9
	leaq	1(%rdx), %r10
	xorq	%r9, %r8
	addq	%r8, %rax
	cmpq	%r10, %rcx
	jle	.L135
	pushq	%rbp
	.cfi_def_cfa_offset 16
	.cfi_offset 6, -16
	addq	$2, %rdx
	movq	%rsp, %rbp
	.cfi_def_cfa_register 6
	pushq	%rbx
	.cfi_offset 3, -24
	movq	8(%rsi,%r11), %r8
	movq	%r8, %r9
	shrq	$29, %r9
	xorq	%r8, %r9
	movq	%r9, %rbx
	movq	%r9, %r8
	andq	%r9, %r10
	imulq	%rdi, %rbx
	salq	$7, %r8
	xorq	%rbx, %r8
	xorq	%r10, %r8
	addq	%r8, %rax
	cmpq	%rdx, %rcx
	jle	.L136
	movq	16(%rsi,%r11), %rsi
	movq	%rsi, %rcx
	shrq	$29, %rcx
	xorq	%rsi, %rcx
	imulq	%rcx, %rdi
	movq	%rcx, %rsi
	andq	%rcx, %rdx
	salq	$7, %rsi
	xorq	%rsi, %rdi
	xorq	%rdx, %rdi
	addq	%rdi, %rax
	vzeroupper
.L120:
	movq	-8(%rbp), %rbx
	leave
	.cfi_def_cfa 7, 8
	ret
	.p2align 4,,10
	.p2align 3
.L135:
	.cfi_restore 3
	.cfi_restore 6
	vzeroupper
	ret
.L136:
	.cfi_def_cfa 6, 16
	.cfi_offset 3, -24
	.cfi_offset 6, -16
	vzeroupper
	jmp	.L120
	.p2align 4,,10
	.p2align 3
.L138:
	.cfi_def_cfa 7, 8
	.cfi_restore 3
	.cfi_restore 6
	ret
.L129:
	vpxor	%xmm3, %xmm3, %xmm3
	xorl	%r8d, %r8d
	xorl	%edx, %edx
	jmp	.L122
	.cfi_endproc
.LFE991:
	.size	integer, .-integer
	.p2align 4
	.globl	shuffle
	.type	shuffle, @function
shuffle:
.LFB992:
	.cfi_startproc
	movq	%rsi, %rcx
	movq	%rdx, %r8
	testq	%rdi, %rdi
	jle	.L156
	leaq	-1(%rdi), %rax
	cmpq	$6, %rax
	jbe	.L148
	vmovdqa64	.LC19(%rip), %zmm7
	movq	%rsi, %rax
	movq	%rdi, %rsi
	vmovdqa64	.LC20(%rip), %zmm6
	vbroadcastsd	.LC22(%rip), %zmm10
	shrq	$3, %rsi
	vmovdqa64	.LC23(%rip), %zmm5
	vmovdqa64	.LC24(%rip), %zmm4
	salq	$8, %rsi
	addq	%rcx, %rsi
	.p2align 4,,10
	.p2align 3
.L144:
	vmovupd	(%rax), %zmm2
	vmovupd	(%rax), %zmm0
	addq	$256, %rax
	addq	$256, %rdx
	vmovupd	-128(%rax), %zmm1
	vmovupd	-128(%rax), %zmm3
	vpermt2pd	-192(%rax), %zmm7, %zmm2
	vpermt2pd	-192(%rax), %zmm6, %zmm0
	vpermt2pd	-64(%rax), %zmm7, %zmm1
	vmovapd	%zmm2, %zmm9
	vpermt2pd	-64(%rax), %zmm6, %zmm3
	vpermt2pd	%zmm1, %zmm7, %zmm9
	vpermt2pd	%zmm1, %zmm6, %zmm2
	vmovapd	%zmm0, %zmm1
	vpermt2pd	%zmm3, %zmm6, %zmm1
	vpermt2pd	%zmm3, %zmm7, %zmm0
	vmovapd	%zmm2, %zmm8
	vxorpd	%zmm10, %zmm1, %zmm1
	vxorpd	%zmm10, %zmm0, %zmm0
	vpermt2pd	%zmm9, %zmm4, %zmm2
	vmovapd	%zmm1, %zmm3
	vpermt2pd	%zmm9, %zmm5, %zmm8
	vpermt2pd	%zmm0, %zmm4, %zmm1
	vpermt2pd	%zmm0, %zmm5, %zmm3
	vmovapd	%zmm2, %zmm0
	vmovapd	%zmm3, %zmm2
	vpermt2pd	%zmm8, %zmm4, %zmm3
	vmovupd	%zmm3, -192(%rdx)
	vpermt2pd	%zmm8, %zmm5, %zmm2
	vmovupd	%zmm2, -256(%rdx)
	vmovapd	%zmm1, %zmm2
	vpermt2pd	%zmm0, %zmm4, %zmm1
	vpermt2pd	%zmm0, %zmm5, %zmm2
	vmovupd	%zmm1, -64(%rdx)
	vmovupd	%zmm2, -128(%rdx)
	cmpq	%rsi, %rax
	jne	.L144
	movq	%rdi, %rdx
	andq	$-8, %rdx
	movq	%rdx, %rax
	cmpq	%rdx, %rdi
	je	.L155
.L143:
	movq	%rdi, %r9
	subq	%rax, %r9
	leaq	-1(%r9), %rsi
	cmpq	$2, %rsi
	jbe	.L146
	vmovdqa	.LC25(%rip), %ymm1
	salq	$5, %rax
	vmovdqa	.LC26(%rip), %ymm0
	leaq	(%rcx,%rax), %rsi
	addq	%r8, %rax
	vmovupd	(%rsi), %ymm3
	vmovupd	32(%rsi), %ymm5
	vmovupd	64(%rsi), %ymm4
	vmovupd	96(%rsi), %ymm6
	vmovapd	%ymm3, %ymm2
	vpermt2pd	%ymm5, %ymm0, %ymm3
	vpermt2pd	%ymm5, %ymm1, %ymm2
	vmovapd	%ymm4, %ymm5
	vpermt2pd	%ymm6, %ymm0, %ymm4
	vpermt2pd	%ymm6, %ymm1, %ymm5
	vmovapd	%ymm2, %ymm7
	vpermt2pd	%ymm5, %ymm1, %ymm7
	vpermt2pd	%ymm5, %ymm0, %ymm2
	vbroadcastsd	.LC22(%rip), %ymm5
	vpermi2pd	%ymm4, %ymm3, %ymm0
	vpermi2pd	%ymm4, %ymm3, %ymm1
	vmovapd	%ymm2, %ymm6
	vmovdqa	.LC28(%rip), %ymm4
	vmovdqa	.LC29(%rip), %ymm3
	vxorpd	%ymm5, %ymm0, %ymm0
	vxorpd	%ymm5, %ymm1, %ymm1
	vmovapd	%ymm0, %ymm5
	vpermt2pd	%ymm1, %ymm3, %ymm0
	vpermt2pd	%ymm7, %ymm4, %ymm6
	vpermt2pd	%ymm1, %ymm4, %ymm5
	vmovapd	%ymm2, %ymm1
	vpermt2pd	%ymm7, %ymm3, %ymm1
	vmovapd	%ymm5, %ymm2
	vpermt2pd	%ymm6, %ymm3, %ymm5
	vpermt2pd	%ymm6, %ymm4, %ymm2
	vpermi2pd	%ymm1, %ymm0, %ymm3
	vpermi2pd	%ymm1, %ymm0, %ymm4
	vmovupd	%ymm5, 32(%rax)
	vmovupd	%ymm2, (%rax)
	vmovupd	%ymm4, 64(%rax)
	vmovupd	%ymm3, 96(%rax)
	movq	%r9, %rax
	andq	$-4, %rax
	addq	%rax, %rdx
	andl	$3, %r9d
	je	.L155
.L146:
	movq	%rdx, %rax
	leaq	1(%rdx), %rsi
	vmovq	.LC30(%rip), %xmm1
	salq	$5, %rax
	vmovsd	24(%rcx,%rax), %xmm0
	vmovsd	8(%rcx,%rax), %xmm2
	vxorpd	%xmm1, %xmm0, %xmm0
	vxorpd	%xmm1, %xmm2, %xmm2
	vmovhpd	(%rcx,%rax), %xmm2, %xmm2
	vmovhpd	16(%rcx,%rax), %xmm0, %xmm0
	vinsertf128	$0x1, %xmm2, %ymm0, %ymm0
	vmovupd	%ymm0, (%r8,%rax)
	cmpq	%rsi, %rdi
	jle	.L155
	vmovsd	56(%rcx,%rax), %xmm0
	vmovsd	40(%rcx,%rax), %xmm2
	addq	$2, %rdx
	vxorpd	%xmm1, %xmm0, %xmm0
	vxorpd	%xmm1, %xmm2, %xmm2
	vmovhpd	32(%rcx,%rax), %xmm2, %xmm2
	vmovhpd	48(%rcx,%rax), %xmm0, %xmm0
	vinsertf128	$0x1, %xmm2, %ymm0, %ymm0
	vmovupd	%ymm0, 32(%r8,%rax)
	cmpq	%rdx, %rdi
	jle	.L155
	vmovsd	88(%rcx,%rax), %xmm0
	vmovsd	72(%rcx,%rax), %xmm2
	vxorpd	%xmm1, %xmm0, %xmm0
	vxorpd	%xmm1, %xmm2, %xmm1
	vmovhpd	64(%rcx,%rax), %xmm1, %xmm1
	vmovhpd	80(%rcx,%rax), %xmm0, %xmm0
	vinsertf128	$0x1, %xmm1, %ymm0, %ymm0
	vmovupd	%ymm0, 64(%r8,%rax)
	vzeroupper
	ret
	.p2align 4,,10
	.p2align 3
.L155:
	vzeroupper
.L156:
	ret
.L148:
	xorl	%eax, %eax
	xorl	%edx, %edx
	jmp	.L143
	.cfi_endproc
.LFE992:
	.size	shuffle, .-shuffle
	.p2align 4
	.globl	polynomial
	.type	polynomial, @function
polynomial:
.LFB993:
	.cfi_startproc
	movq	%rsi, %rcx
	testq	%rdi, %rdi
	jle	.L172
	leaq	-1(%rdi), %rax
	cmpq	$6, %rax
	jbe	.L164
	vbroadcastsd	.LC32(%rip), %zmm9
	movq	%rdi, %rsi
	xorl	%eax, %eax
	vbroadcastsd	.LC34(%rip), %zmm8
	vbroadcastsd	.LC36(%rip), %zmm7
	shrq	$3, %rsi
	vbroadcastsd	.LC38(%rip), %zmm6
	vbroadcastsd	.LC40(%rip), %zmm5
	salq	$6, %rsi
	vbroadcastsd	.LC42(%rip), %zmm4
	vbroadcastsd	.LC4(%rip), %zmm3
	vbroadcastsd	.LC9(%rip), %zmm2
	.p2align 4,,10
	.p2align 3
.L160:
	vmovupd	(%rcx,%rax), %zmm1
	vmovapd	%zmm1, %zmm0
	vfmadd132pd	%zmm9, %zmm8, %zmm0
	vfmadd132pd	%zmm1, %zmm7, %zmm0
	vfmadd132pd	%zmm1, %zmm6, %zmm0
	vfmadd132pd	%zmm1, %zmm5, %zmm0
	vfmadd132pd	%zmm1, %zmm4, %zmm0
	vfmadd132pd	%zmm1, %zmm3, %zmm0
	vfmadd132pd	%zmm1, %zmm2, %zmm0
	vfmadd132pd	%zmm0, %zmm2, %zmm1
	vmovupd	%zmm1, (%rdx,%rax)
	addq	$64, %rax
	cmpq	%rax, %rsi
	jne	.L160
	movq	%rdi, %rax
	andq	$-8, %rax
	movq	%rax, %rsi
	cmpq	%rdi, %rax
	je	.L171
.L159:
	movq	%rdi, %r8
	subq	%rsi, %r8
	leaq	-1(%r8), %r9
	cmpq	$2, %r9
	jbe	.L162
	vmovupd	(%rcx,%rsi,8), %ymm1
	vbroadcastsd	.LC32(%rip), %ymm0
	vbroadcastsd	.LC9(%rip), %ymm2
	vfmadd213pd	.LC34(%rip){1to4}, %ymm1, %ymm0
	vfmadd213pd	.LC36(%rip){1to4}, %ymm1, %ymm0
	vfmadd213pd	.LC38(%rip){1to4}, %ymm1, %ymm0
	vfmadd213pd	.LC40(%rip){1to4}, %ymm1, %ymm0
	vfmadd213pd	.LC42(%rip){1to4}, %ymm1, %ymm0
	vfmadd213pd	.LC4(%rip){1to4}, %ymm1, %ymm0
	vfmadd132pd	%ymm1, %ymm2, %ymm0
	vfmadd132pd	%ymm0, %ymm2, %ymm1
	vmovupd	%ymm1, (%rdx,%rsi,8)
	movq	%r8, %rsi
	andq	$-4, %rsi
	addq	%rsi, %rax
	andl	$3, %r8d
	je	.L171
.L162:
	vmovsd	(%rcx,%rax,8), %xmm2
	leaq	1(%rax), %r8
	vmovsd	.LC32(%rip), %xmm0
	leaq	0(,%rax,8), %rsi
	vmovsd	.LC34(%rip), %xmm9
	vmovsd	.LC36(%rip), %xmm8
	vmovsd	.LC38(%rip), %xmm7
	vmovsd	%xmm2, %xmm2, %xmm1
	vmovsd	.LC40(%rip), %xmm6
	vmovsd	.LC42(%rip), %xmm5
	vfmadd132sd	%xmm0, %xmm9, %xmm1
	vmovsd	.LC4(%rip), %xmm4
	vmovsd	.LC9(%rip), %xmm3
	vfmadd132sd	%xmm2, %xmm8, %xmm1
	vfmadd132sd	%xmm2, %xmm7, %xmm1
	vfmadd132sd	%xmm2, %xmm6, %xmm1
	vfmadd132sd	%xmm2, %xmm5, %xmm1
	vfmadd132sd	%xmm2, %xmm4, %xmm1
	vfmadd132sd	%xmm2, %xmm3, %xmm1
	vfmadd132sd	%xmm1, %xmm3, %xmm2
	vmovsd	%xmm2, (%rdx,%rsi)
	cmpq	%r8, %rdi
	jle	.L171
	vmovsd	8(%rcx,%rsi), %xmm2
	addq	$2, %rax
	vmovsd	%xmm2, %xmm2, %xmm1
	vfmadd132sd	%xmm0, %xmm9, %xmm1
	vfmadd132sd	%xmm2, %xmm8, %xmm1
	vfmadd132sd	%xmm2, %xmm7, %xmm1
	vfmadd132sd	%xmm2, %xmm6, %xmm1
	vfmadd132sd	%xmm2, %xmm5, %xmm1
	vfmadd132sd	%xmm2, %xmm4, %xmm1
	vfmadd132sd	%xmm2, %xmm3, %xmm1
	vfmadd132sd	%xmm2, %xmm3, %xmm1
	vmovsd	%xmm1, 8(%rdx,%rsi)
	cmpq	%rax, %rdi
	jle	.L171
	vmovsd	16(%rcx,%rsi), %xmm1
	vfmadd132sd	%xmm1, %xmm9, %xmm0
	vfmadd132sd	%xmm1, %xmm8, %xmm0
	vfmadd132sd	%xmm1, %xmm7, %xmm0
	vfmadd132sd	%xmm1, %xmm6, %xmm0
	vfmadd132sd	%xmm1, %xmm5, %xmm0
	vfmadd132sd	%xmm1, %xmm4, %xmm0
	vfmadd132sd	%xmm1, %xmm3, %xmm0
	vfmadd132sd	%xmm0, %xmm3, %xmm1
	vmovsd	%xmm1, 16(%rdx,%rsi)
	vzeroupper
	ret
	.p2align 4,,10
	.p2align 3
.L171:
	vzeroupper
.L172:
	ret
.L164:
	xorl	%esi, %esi
	xorl	%eax, %eax
	jmp	.L159
	.cfi_endproc
.LFE993:
	.size	polynomial, .-polynomial
	.section	.rodata.cst8,"aM",@progbits,8
	.align 8
.LC2:
	.long	0
	.long	1070596096
	.align 8
.LC4:
	.long	0
	.long	1071644672
	.align 8
.LC9:
	.long	0
	.long	1072693248
	.align 8
.LC11:
	.long	-1717986918
	.long	1071225241
	.align 8
.LC13:
	.long	1717986918
	.long	1073112678
	.section	.rodata
	.align 64
.LC14:
	.quad	0
	.quad	1
	.quad	2
	.quad	3
	.quad	4
	.quad	5
	.quad	6
	.quad	7
	.set	.LC18,.LC14
	.align 64
.LC19:
	.quad	0
	.quad	2
	.quad	4
	.quad	6
	.quad	8
	.quad	10
	.quad	12
	.quad	14
	.align 64
.LC20:
	.quad	1
	.quad	3
	.quad	5
	.quad	7
	.quad	9
	.quad	11
	.quad	13
	.quad	15
	.set	.LC22,.LC30
	.align 64
.LC23:
	.quad	0
	.quad	8
	.quad	1
	.quad	9
	.quad	2
	.quad	10
	.quad	3
	.quad	11
	.align 64
.LC24:
	.quad	4
	.quad	12
	.quad	5
	.quad	13
	.quad	6
	.quad	14
	.quad	7
	.quad	15
	.set	.LC25,.LC19
	.set	.LC26,.LC20
	.section	.rodata.cst32,"aM",@progbits,32
	.align 32
.LC28:
	.quad	0
	.quad	4
	.quad	1
	.quad	5
	.align 32
.LC29:
	.quad	2
	.quad	6
	.quad	3
	.quad	7
	.section	.rodata.cst16,"aM",@progbits,16
	.align 16
.LC30:
	.long	0
	.long	-2147483648
	.long	0
	.long	0
	.section	.rodata.cst8
	.align 8
.LC32:
	.long	436314138
	.long	1056571808
	.align 8
.LC34:
	.long	436314138
	.long	1059717536
	.align 8
.LC36:
	.long	381774871
	.long	1062650220
	.align 8
.LC38:
	.long	286331153
	.long	1065423121
	.align 8
.LC40:
	.long	1431655765
	.long	1067799893
	.align 8
.LC42:
	.long	1431655765
	.long	1069897045
	.section	.note.GNU-stack,"",@progbits
