	.file	"loops.cpp"
	.text
	.p2align 4
	.globl	dot
	.type	dot, @function
dot:
.LFB984:
	.cfi_startproc
	testq	%rdi, %rdi
	jle	.L9
	leaq	-1(%rdi), %rax
	cmpq	$2, %rax
	jbe	.L10
	movq	%rdi, %rcx
	xorl	%eax, %eax
	vxorpd	%xmm1, %xmm1, %xmm1
	shrq	$2, %rcx
	salq	$5, %rcx
	.p2align 4,,10
	.p2align 3
.L4:
	vmovupd	(%rsi,%rax), %ymm4
	vfmadd231pd	(%rdx,%rax), %ymm4, %ymm1
	addq	$32, %rax
	cmpq	%rax, %rcx
	jne	.L4
	vextractf128	$0x1, %ymm1, %xmm3
	movq	%rdi, %rax
	vaddpd	%xmm1, %xmm3, %xmm2
	andq	$-4, %rax
	movq	%rax, %rcx
	vunpckhpd	%xmm2, %xmm2, %xmm0
	vaddpd	%xmm2, %xmm0, %xmm0
	cmpq	%rax, %rdi
	je	.L18
	vaddpd	%xmm3, %xmm1, %xmm1
	vzeroupper
.L3:
	subq	%rcx, %rdi
	cmpq	$1, %rdi
	je	.L7
	vmovupd	(%rsi,%rcx,8), %xmm6
	vfmadd231pd	(%rdx,%rcx,8), %xmm6, %xmm1
	vunpckhpd	%xmm1, %xmm1, %xmm0
	vaddpd	%xmm1, %xmm0, %xmm0
	testb	$1, %dil
	je	.L1
	andq	$-2, %rdi
	addq	%rdi, %rax
.L7:
	vmovsd	(%rsi,%rax,8), %xmm5
	vfmadd231sd	(%rdx,%rax,8), %xmm5, %xmm0
	ret
	.p2align 4,,10
	.p2align 3
.L18:
	vzeroupper
.L1:
	ret
	.p2align 4,,10
	.p2align 3
.L9:
	vxorpd	%xmm0, %xmm0, %xmm0
	ret
.L10:
	vxorpd	%xmm1, %xmm1, %xmm1
	xorl	%ecx, %ecx
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
	movq	%rsi, %rcx
	testq	%rdi, %rdi
	jle	.L36
	leaq	-1(%rdi), %rax
	cmpq	$2, %rax
	jbe	.L27
	movq	%rdi, %rsi
	vbroadcastsd	%xmm0, %ymm2
	xorl	%eax, %eax
	shrq	$2, %rsi
	salq	$5, %rsi
	.p2align 4,,10
	.p2align 3
.L23:
	vmovupd	(%rcx,%rax), %ymm1
	vfmadd213pd	(%rdx,%rax), %ymm2, %ymm1
	vmovupd	%ymm1, (%rdx,%rax)
	addq	$32, %rax
	cmpq	%rax, %rsi
	jne	.L23
	movq	%rdi, %rsi
	andq	$-4, %rsi
	movq	%rsi, %rax
	cmpq	%rsi, %rdi
	je	.L37
	vzeroupper
.L22:
	subq	%rax, %rdi
	cmpq	$1, %rdi
	je	.L25
	leaq	(%rdx,%rax,8), %r8
	vmovddup	%xmm0, %xmm1
	vmovupd	(%r8), %xmm4
	vfmadd132pd	(%rcx,%rax,8), %xmm4, %xmm1
	vmovupd	%xmm1, (%r8)
	testb	$1, %dil
	je	.L36
	andq	$-2, %rdi
	addq	%rdi, %rsi
.L25:
	leaq	(%rdx,%rsi,8), %rax
	vmovsd	(%rax), %xmm3
	vfmadd132sd	(%rcx,%rsi,8), %xmm3, %xmm0
	vmovsd	%xmm0, (%rax)
.L36:
	ret
	.p2align 4,,10
	.p2align 3
.L37:
	vzeroupper
	ret
.L27:
	xorl	%eax, %eax
	xorl	%esi, %esi
	jmp	.L22
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
	cmpq	$2, %rdi
	jle	.L57
	leaq	-3(%rdi), %rax
	leaq	-2(%rdi), %rsi
	cmpq	$2, %rax
	jbe	.L45
	vbroadcastsd	.LC2(%rip), %ymm2
	movq	%rsi, %r8
	xorl	%eax, %eax
	vbroadcastsd	.LC4(%rip), %ymm1
	shrq	$2, %r8
	salq	$5, %r8
	.p2align 4,,10
	.p2align 3
.L41:
	vmovupd	(%rcx,%rax), %ymm3
	vaddpd	16(%rcx,%rax), %ymm3, %ymm0
	vmulpd	%ymm2, %ymm0, %ymm0
	vfmadd231pd	8(%rcx,%rax), %ymm1, %ymm0
	vmovupd	%ymm0, 8(%rdx,%rax)
	addq	$32, %rax
	cmpq	%r8, %rax
	jne	.L41
	testb	$3, %sil
	je	.L56
	movq	%rsi, %rax
	andq	$-4, %rax
	leaq	1(%rax), %rsi
	vzeroupper
.L40:
	subq	%rax, %rdi
	leaq	-2(%rdi), %r8
	cmpq	$3, %rdi
	je	.L43
	vmovupd	16(%rcx,%rax,8), %xmm5
	vaddpd	(%rcx,%rax,8), %xmm5, %xmm0
	vmovddup	.LC2(%rip), %xmm1
	vmulpd	%xmm1, %xmm0, %xmm0
	vmovddup	.LC4(%rip), %xmm1
	vfmadd231pd	8(%rcx,%rax,8), %xmm1, %xmm0
	vmovupd	%xmm0, 8(%rdx,%rax,8)
	testb	$1, %r8b
	je	.L57
	andq	$-2, %r8
	addq	%r8, %rsi
.L43:
	leaq	0(,%rsi,8), %rax
	vmovsd	(%rcx,%rsi,8), %xmm4
	vmovsd	-8(%rcx,%rax), %xmm0
	vaddsd	8(%rcx,%rax), %xmm0, %xmm0
	vmulsd	.LC2(%rip), %xmm0, %xmm0
	vfmadd231sd	.LC4(%rip), %xmm4, %xmm0
	vmovsd	%xmm0, (%rdx,%rax)
	ret
	.p2align 4,,10
	.p2align 3
.L56:
	vzeroupper
.L57:
	ret
.L45:
	xorl	%eax, %eax
	movl	$1, %esi
	jmp	.L40
	.cfi_endproc
.LFE986:
	.size	stencil, .-stencil
	.p2align 4
	.globl	gather
	.type	gather, @function
gather:
.LFB987:
	.cfi_startproc
	movq	%rdi, %r8
	testq	%rdi, %rdi
	jle	.L73
	pushq	%rbp
	.cfi_def_cfa_offset 16
	.cfi_offset 6, -16
	movq	%rdx, %rdi
	leaq	-1(%r8), %rdx
	movq	%rsi, %rax
	movq	%rcx, %rsi
	movq	%rsp, %rbp
	.cfi_def_cfa_register 6
	pushq	%r12
	pushq	%rbx
	.cfi_offset 12, -24
	.cfi_offset 3, -32
	cmpq	$6, %rdx
	jbe	.L65
	movq	%r8, %r11
	xorl	%ecx, %ecx
	shrq	$3, %r11
	salq	$5, %r11
	.p2align 4,,10
	.p2align 3
.L61:
	leaq	(%rdi,%rcx), %rdx
	movslq	24(%rdx), %r12
	movslq	16(%rdx), %r10
	movslq	28(%rdx), %rbx
	movslq	20(%rdx), %r9
	vmovsd	(%rax,%r12,8), %xmm1
	vmovsd	(%rax,%r10,8), %xmm0
	movslq	(%rdx), %r10
	vmovhpd	(%rax,%rbx,8), %xmm1, %xmm1
	movslq	8(%rdx), %rbx
	vmovhpd	(%rax,%r9,8), %xmm0, %xmm0
	movslq	4(%rdx), %r9
	vinsertf128	$0x1, %xmm1, %ymm0, %ymm0
	movslq	12(%rdx), %rdx
	vmovsd	(%rax,%r10,8), %xmm1
	vmovsd	(%rax,%rbx,8), %xmm2
	vaddpd	%ymm0, %ymm0, %ymm0
	vmovhpd	(%rax,%r9,8), %xmm1, %xmm1
	vmovhpd	(%rax,%rdx,8), %xmm2, %xmm2
	vinsertf128	$0x1, %xmm2, %ymm1, %ymm1
	vmovupd	%ymm0, 32(%rsi,%rcx,2)
	vaddpd	%ymm1, %ymm1, %ymm1
	vmovupd	%ymm1, (%rsi,%rcx,2)
	addq	$32, %rcx
	cmpq	%rcx, %r11
	jne	.L61
	movq	%r8, %rdx
	andq	$-8, %rdx
	movq	%rdx, %r9
	cmpq	%rdx, %r8
	je	.L76
	vzeroupper
.L60:
	movq	%r8, %r10
	subq	%r9, %r10
	leaq	-1(%r10), %rcx
	cmpq	$2, %rcx
	jbe	.L63
	leaq	(%rdi,%r9,4), %rcx
	leaq	(%rsi,%r9,8), %r9
	movslq	8(%rcx), %rbx
	movslq	12(%rcx), %r11
	vmovsd	(%rax,%rbx,8), %xmm0
	vmovhpd	(%rax,%r11,8), %xmm0, %xmm0
	movslq	(%rcx), %r11
	movslq	4(%rcx), %rcx
	vaddpd	%xmm0, %xmm0, %xmm0
	vmovsd	(%rax,%r11,8), %xmm1
	vmovhpd	(%rax,%rcx,8), %xmm1, %xmm1
	movq	%r10, %rcx
	vmovupd	%xmm0, 16(%r9)
	vaddpd	%xmm1, %xmm1, %xmm1
	andq	$-4, %rcx
	addq	%rcx, %rdx
	andl	$3, %r10d
	vmovupd	%xmm1, (%r9)
	je	.L71
.L63:
	movslq	(%rdi,%rdx,4), %r10
	leaq	0(,%rdx,4), %r9
	leaq	0(,%rdx,8), %rcx
	vmovsd	(%rax,%r10,8), %xmm0
	leaq	1(%rdx), %r10
	vaddsd	%xmm0, %xmm0, %xmm0
	vmovsd	%xmm0, (%rsi,%rdx,8)
	cmpq	%r10, %r8
	jle	.L71
	movslq	4(%rdi,%r9), %r10
	addq	$2, %rdx
	vmovsd	(%rax,%r10,8), %xmm0
	vaddsd	%xmm0, %xmm0, %xmm0
	vmovsd	%xmm0, 8(%rsi,%rcx)
	cmpq	%rdx, %r8
	jle	.L71
	movslq	8(%rdi,%r9), %rdx
	vmovsd	(%rax,%rdx,8), %xmm0
	vaddsd	%xmm0, %xmm0, %xmm0
	vmovsd	%xmm0, 16(%rsi,%rcx)
.L71:
	popq	%rbx
	popq	%r12
	popq	%rbp
	.cfi_def_cfa 7, 8
	ret
	.p2align 4,,10
	.p2align 3
.L73:
	.cfi_restore 3
	.cfi_restore 6
	.cfi_restore 12
	ret
	.p2align 4,,10
	.p2align 3
.L76:
	.cfi_def_cfa 6, 16
	.cfi_offset 3, -32
	.cfi_offset 6, -16
	.cfi_offset 12, -24
	vzeroupper
	popq	%rbx
	popq	%r12
	popq	%rbp
	.cfi_remember_state
	.cfi_def_cfa 7, 8
	ret
.L65:
	.cfi_restore_state
	xorl	%r9d, %r9d
	xorl	%edx, %edx
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
	movq	%rdi, %r9
	movq	%rsi, %r8
	testq	%rdi, %rdi
	jle	.L93
	leaq	-1(%rdi), %rax
	cmpq	$2, %rax
	jbe	.L84
	shrq	$2, %rdi
	xorl	%eax, %eax
	salq	$5, %rdi
	.p2align 4,,10
	.p2align 3
.L80:
	vmovupd	(%r8,%rax), %ymm1
	vdivpd	(%rdx,%rax), %ymm1, %ymm0
	vmovupd	%ymm0, (%rcx,%rax)
	addq	$32, %rax
	cmpq	%rdi, %rax
	jne	.L80
	movq	%r9, %rax
	andq	$-4, %rax
	movq	%rax, %rdi
	cmpq	%rax, %r9
	je	.L94
	vzeroupper
.L79:
	movq	%r9, %rsi
	subq	%rdi, %rsi
	cmpq	$1, %rsi
	je	.L82
	vmovupd	(%r8,%rdi,8), %xmm2
	vdivpd	(%rdx,%rdi,8), %xmm2, %xmm0
	vmovupd	%xmm0, (%rcx,%rdi,8)
	testb	$1, %sil
	je	.L93
	andq	$-2, %rsi
	addq	%rsi, %rax
.L82:
	vmovsd	(%r8,%rax,8), %xmm0
	vdivsd	(%rdx,%rax,8), %xmm0, %xmm0
	vmovsd	%xmm0, (%rcx,%rax,8)
.L93:
	ret
	.p2align 4,,10
	.p2align 3
.L94:
	vzeroupper
	ret
.L84:
	xorl	%edi, %edi
	xorl	%eax, %eax
	jmp	.L79
	.cfi_endproc
.LFE988:
	.size	division, .-division
	.p2align 4
	.globl	square_root
	.type	square_root, @function
square_root:
.LFB989:
	.cfi_startproc
	testq	%rdi, %rdi
	jle	.L111
	leaq	-1(%rdi), %rax
	cmpq	$2, %rax
	jbe	.L102
	movq	%rdi, %rcx
	xorl	%eax, %eax
	shrq	$2, %rcx
	salq	$5, %rcx
	.p2align 4,,10
	.p2align 3
.L98:
	vsqrtpd	(%rsi,%rax), %ymm0
	vmovupd	%ymm0, (%rdx,%rax)
	addq	$32, %rax
	cmpq	%rax, %rcx
	jne	.L98
	movq	%rdi, %rax
	andq	$-4, %rax
	movq	%rax, %rcx
	cmpq	%rax, %rdi
	je	.L112
	vzeroupper
.L97:
	subq	%rcx, %rdi
	cmpq	$1, %rdi
	je	.L100
	vsqrtpd	(%rsi,%rcx,8), %xmm0
	vmovupd	%xmm0, (%rdx,%rcx,8)
	testb	$1, %dil
	je	.L111
	andq	$-2, %rdi
	addq	%rdi, %rax
.L100:
	vxorps	%xmm0, %xmm0, %xmm0
	vsqrtsd	(%rsi,%rax,8), %xmm0, %xmm0
	vmovsd	%xmm0, (%rdx,%rax,8)
.L111:
	ret
	.p2align 4,,10
	.p2align 3
.L112:
	vzeroupper
	ret
.L102:
	xorl	%ecx, %ecx
	xorl	%eax, %eax
	jmp	.L97
	.cfi_endproc
.LFE989:
	.size	square_root, .-square_root
	.p2align 4
	.globl	flux
	.type	flux, @function
flux:
.LFB990:
	.cfi_startproc
	testq	%rdi, %rdi
	jle	.L120
	pushq	%rbp
	.cfi_def_cfa_offset 16
	.cfi_offset 6, -16
	leaq	(%rsi,%rdi,8), %rdi
	movq	%rsp, %rbp
	.cfi_def_cfa_register 6
	andq	$-32, %rsp
	.p2align 4,,10
	.p2align 3
.L115:
	movl	(%rsi), %eax
	movl	4(%rsi), %r9d
	addq	$8, %rsi
	addq	$24, %rdx
	vmovsd	.LC7(%rip), %xmm2
	vmovsd	.LC7(%rip), %xmm3
	addq	$40, %r8
	leal	(%rax,%rax,4), %eax
	leal	(%r9,%r9,4), %r9d
	cltq
	movslq	%r9d, %r9
	leaq	(%rcx,%rax,8), %rax
	leaq	(%rcx,%r9,8), %r9
	vmovsd	(%rax), %xmm1
	vmovsd	(%r9), %xmm10
	vmovsd	16(%rax), %xmm7
	vmovsd	16(%r9), %xmm6
	vdivsd	%xmm1, %xmm2, %xmm2
	vmovsd	8(%r9), %xmm5
	vmovsd	8(%rax), %xmm9
	vunpcklpd	%xmm10, %xmm1, %xmm4
	vmovsd	%xmm7, -8(%rsp)
	vmovsd	24(%r9), %xmm0
	vmovsd	24(%rax), %xmm14
	vmovsd	%xmm5, -16(%rsp)
	vmovsd	32(%rax), %xmm13
	vmovsd	32(%r9), %xmm11
	vmovsd	%xmm6, -24(%rsp)
	vmovsd	%xmm0, -32(%rsp)
	vunpcklpd	%xmm11, %xmm13, %xmm8
	vmovapd	%xmm8, -48(%rsp)
	vdivsd	%xmm10, %xmm3, %xmm3
	vmulsd	%xmm7, %xmm2, %xmm15
	vmulsd	%xmm2, %xmm9, %xmm12
	vmulsd	%xmm2, %xmm14, %xmm2
	vmulsd	%xmm6, %xmm3, %xmm7
	vmulsd	%xmm5, %xmm3, %xmm5
	vmulsd	%xmm0, %xmm3, %xmm3
	vmulsd	%xmm15, %xmm15, %xmm0
	vmulsd	-16(%rdx), %xmm15, %xmm15
	vmulsd	%xmm7, %xmm7, %xmm6
	vmulsd	-16(%rdx), %xmm7, %xmm7
	vfmadd231sd	%xmm12, %xmm12, %xmm0
	vfmadd132sd	-24(%rdx), %xmm15, %xmm12
	vmovsd	-8(%rdx), %xmm15
	vfmadd231sd	%xmm5, %xmm5, %xmm6
	vfmadd132sd	-24(%rdx), %xmm7, %xmm5
	vfmadd231sd	%xmm2, %xmm2, %xmm0
	vfmadd132sd	%xmm15, %xmm12, %xmm2
	vmovsd	-24(%rsp), %xmm12
	vfmadd231sd	%xmm3, %xmm3, %xmm6
	vfmadd132sd	%xmm15, %xmm5, %xmm3
	vmovsd	-16(%rsp), %xmm5
	vmovq	%xmm6, %rax
	vmulpd	.LC6(%rip), %xmm4, %xmm6
	vmovq	%rax, %xmm8
	vunpcklpd	%xmm8, %xmm0, %xmm0
	vfnmadd213pd	-48(%rsp), %xmm6, %xmm0
	vmulpd	.LC8(%rip), %xmm0, %xmm0
	vmulpd	.LC10(%rip), %xmm0, %xmm8
	vdivpd	%xmm4, %xmm8, %xmm8
	vsubsd	%xmm10, %xmm1, %xmm4
	vmulsd	%xmm3, %xmm10, %xmm10
	vfmadd132sd	%xmm2, %xmm10, %xmm1
	vmulsd	%xmm5, %xmm3, %xmm10
	vfmadd231sd	%xmm2, %xmm9, %xmm10
	vsubsd	%xmm5, %xmm9, %xmm9
	vsqrtpd	%xmm8, %xmm8
	vunpckhpd	%xmm8, %xmm8, %xmm6
	vaddpd	%xmm8, %xmm6, %xmm6
	vmulsd	%xmm6, %xmm9, %xmm5
	vfmadd132sd	%xmm6, %xmm1, %xmm4
	vmovsd	-8(%rsp), %xmm1
	vmulsd	%xmm12, %xmm3, %xmm9
	vmovsd	%xmm4, %xmm4, %xmm7
	vunpckhpd	%xmm0, %xmm0, %xmm4
	vaddpd	%xmm0, %xmm4, %xmm4
	vfmadd231sd	-24(%rdx), %xmm4, %xmm5
	vfmadd231sd	%xmm1, %xmm2, %xmm9
	vsubsd	%xmm12, %xmm1, %xmm1
	vmulsd	%xmm6, %xmm1, %xmm1
	vfmadd231sd	-16(%rdx), %xmm4, %xmm1
	vaddsd	%xmm10, %xmm5, %xmm5
	vmovsd	-32(%rsp), %xmm10
	vsubsd	%xmm10, %xmm14, %xmm8
	vunpcklpd	%xmm5, %xmm7, %xmm5
	vaddsd	%xmm9, %xmm1, %xmm1
	vmulsd	%xmm6, %xmm8, %xmm8
	vmulsd	%xmm10, %xmm3, %xmm9
	vfmadd132sd	%xmm4, %xmm8, %xmm15
	vsubsd	%xmm11, %xmm13, %xmm4
	vfmadd231sd	%xmm2, %xmm14, %xmm9
	vaddsd	%xmm9, %xmm15, %xmm12
	vunpcklpd	%xmm12, %xmm1, %xmm1
	vinsertf128	$0x1, %xmm1, %ymm5, %ymm1
	vmovupd	%ymm1, -40(%r8)
	vaddsd	%xmm13, %xmm0, %xmm1
	vunpckhpd	%xmm0, %xmm0, %xmm0
	vaddsd	%xmm11, %xmm0, %xmm0
	vmulsd	%xmm3, %xmm0, %xmm0
	vfmadd231sd	%xmm2, %xmm1, %xmm0
	vfmadd132sd	%xmm6, %xmm0, %xmm4
	vmovsd	%xmm4, -8(%r8)
	cmpq	%rsi, %rdi
	jne	.L115
	vzeroupper
	leave
	.cfi_def_cfa 7, 8
	ret
	.p2align 4,,10
	.p2align 3
.L120:
	.cfi_restore 6
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
	jle	.L137
	pushq	%rbp
	.cfi_def_cfa_offset 16
	.cfi_offset 6, -16
	leaq	-1(%rdi), %rdx
	movq	%rdi, %rcx
	movq	%rsp, %rbp
	.cfi_def_cfa_register 6
	pushq	%rbx
	.cfi_offset 3, -24
	cmpq	$2, %rdx
	jbe	.L130
	movq	%rdi, %rdx
	movq	%rsi, %rax
	vpxor	%xmm5, %xmm5, %xmm5
	movabsq	$-7046029254386353131, %rbx
	shrq	$2, %rdx
	vmovq	%rbx, %xmm6
	vmovdqa	.LC12(%rip), %ymm4
	vpbroadcastq	.LC15(%rip), %ymm7
	salq	$5, %rdx
	vpbroadcastq	%xmm6, %ymm6
	addq	%rsi, %rdx
	vpsrlq	$32, %ymm6, %ymm8
	.p2align 4,,10
	.p2align 3
.L126:
	vmovdqu	(%rax), %ymm2
	vmovdqa	%ymm4, %ymm3
	addq	$32, %rax
	vpaddq	%ymm7, %ymm4, %ymm4
	vpsrlq	$29, %ymm2, %ymm1
	vpxor	%ymm2, %ymm1, %ymm1
	vpsrlq	$32, %ymm1, %ymm2
	vpmuludq	%ymm1, %ymm8, %ymm9
	vpmuludq	%ymm6, %ymm2, %ymm2
	vpmuludq	%ymm6, %ymm1, %ymm0
	vpaddq	%ymm9, %ymm2, %ymm2
	vpsllq	$32, %ymm2, %ymm2
	vpaddq	%ymm2, %ymm0, %ymm0
	vpsllq	$7, %ymm1, %ymm2
	vpand	%ymm1, %ymm3, %ymm1
	vpxor	%ymm2, %ymm0, %ymm0
	vpxor	%ymm1, %ymm0, %ymm0
	vpaddq	%ymm0, %ymm5, %ymm5
	cmpq	%rax, %rdx
	jne	.L126
	movabsq	$1469598103934665603, %rdx
	vmovdqa	%xmm5, %xmm0
	vextracti128	$0x1, %ymm5, %xmm5
	vpaddq	%xmm5, %xmm0, %xmm0
	vpsrldq	$8, %xmm0, %xmm1
	vpaddq	%xmm1, %xmm0, %xmm0
	vmovq	%xmm0, %rax
	addq	%rdx, %rax
	testb	$3, %cl
	je	.L135
	movq	%rcx, %rdx
	andq	$-4, %rdx
	vzeroupper
.L125:
	movq	(%rsi,%rdx,8), %r8
	leaq	0(,%rdx,8), %r9
	movabsq	$-7046029254386353131, %r10
	movq	%r8, %rdi
	shrq	$29, %rdi
	xorq	%r8, %rdi
	movq	%rdi, %r8
	movq	%rdi, %r11
	andq	%rdx, %rdi
	imulq	%r10, %r8
	salq	$7, %r11
	xorq	%r11, %r8
	leaq	1(%rdx), %r11
	xorq	%r8, %rdi
	addq	%rdi, %rax
	cmpq	%r11, %rcx
	jle	.L123
	movq	8(%rsi,%r9), %rdi
	addq	$2, %rdx
	movq	%rdi, %r8
	shrq	$29, %r8
	xorq	%rdi, %r8
	movq	%r8, %rdi
	movq	%r8, %rbx
	andq	%r8, %r11
	imulq	%r10, %rdi
	salq	$7, %rbx
	xorq	%rbx, %rdi
	xorq	%r11, %rdi
	addq	%rdi, %rax
	cmpq	%rdx, %rcx
	jle	.L123
	movq	16(%rsi,%r9), %rcx
	movq	%rcx, %rsi
	shrq	$29, %rsi
	xorq	%rcx, %rsi
	imulq	%rsi, %r10
	movq	%rsi, %rcx
	andq	%rsi, %rdx
	salq	$7, %rcx
	xorq	%r10, %rcx
	xorq	%rcx, %rdx
	addq	%rdx, %rax
.L123:
	movq	-8(%rbp), %rbx
	leave
	.cfi_remember_state
	.cfi_def_cfa 7, 8
	ret
	.p2align 4,,10
	.p2align 3
.L135:
	.cfi_restore_state
	vzeroupper
	movq	-8(%rbp), %rbx
	leave
	.cfi_def_cfa 7, 8
	ret
	.p2align 4,,10
	.p2align 3
.L137:
	.cfi_restore 3
	.cfi_restore 6
	ret
.L130:
	.cfi_def_cfa 6, 16
	.cfi_offset 3, -24
	.cfi_offset 6, -16
	xorl	%edx, %edx
	jmp	.L125
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
	movq	%rdx, %rsi
	testq	%rdi, %rdi
	jle	.L156
	leaq	-1(%rdi), %rax
	cmpq	$2, %rax
	jbe	.L147
	vbroadcastsd	.LC17(%rip), %ymm4
	movq	%rdi, %r8
	movq	%rcx, %rax
	shrq	$2, %r8
	salq	$7, %r8
	addq	%rcx, %r8
	.p2align 4,,10
	.p2align 3
.L143:
	vmovupd	(%rax), %ymm7
	vunpcklpd	32(%rax), %ymm7, %ymm1
	subq	$-128, %rax
	subq	$-128, %rdx
	vunpckhpd	-96(%rax), %ymm7, %ymm0
	vmovupd	-64(%rax), %ymm7
	vunpcklpd	-32(%rax), %ymm7, %ymm3
	vunpckhpd	-32(%rax), %ymm7, %ymm2
	vpermpd	$216, %ymm1, %ymm1
	vpermpd	$216, %ymm0, %ymm0
	vpermpd	$216, %ymm3, %ymm3
	vpermpd	$216, %ymm2, %ymm2
	vunpcklpd	%ymm3, %ymm1, %ymm5
	vunpckhpd	%ymm3, %ymm1, %ymm1
	vunpckhpd	%ymm2, %ymm0, %ymm3
	vunpcklpd	%ymm2, %ymm0, %ymm0
	vpermpd	$216, %ymm3, %ymm3
	vpermpd	$216, %ymm5, %ymm5
	vpermpd	$216, %ymm0, %ymm0
	vxorpd	%ymm4, %ymm3, %ymm3
	vpermpd	$216, %ymm1, %ymm1
	vxorpd	%ymm4, %ymm0, %ymm0
	vpermpd	$68, %ymm3, %ymm2
	vpermpd	$238, %ymm3, %ymm3
	vpermpd	$68, %ymm0, %ymm6
	vpermpd	$238, %ymm0, %ymm0
	vshufpd	$12, %ymm6, %ymm2, %ymm2
	vshufpd	$12, %ymm0, %ymm3, %ymm0
	vpermpd	$68, %ymm5, %ymm6
	vpermpd	$68, %ymm1, %ymm3
	vpermpd	$238, %ymm5, %ymm5
	vpermpd	$238, %ymm1, %ymm1
	vshufpd	$12, %ymm6, %ymm3, %ymm3
	vpermpd	$68, %ymm3, %ymm6
	vshufpd	$12, %ymm5, %ymm1, %ymm1
	vpermpd	$238, %ymm3, %ymm3
	vpermpd	$68, %ymm2, %ymm5
	vpermpd	$238, %ymm2, %ymm2
	vshufpd	$12, %ymm3, %ymm2, %ymm2
	vpermpd	$68, %ymm1, %ymm3
	vmovupd	%ymm2, -96(%rdx)
	vpermpd	$238, %ymm1, %ymm1
	vpermpd	$68, %ymm0, %ymm2
	vpermpd	$238, %ymm0, %ymm0
	vshufpd	$12, %ymm6, %ymm5, %ymm5
	vmovupd	%ymm5, -128(%rdx)
	vshufpd	$12, %ymm3, %ymm2, %ymm2
	vshufpd	$12, %ymm1, %ymm0, %ymm0
	vmovupd	%ymm2, -64(%rdx)
	vmovupd	%ymm0, -32(%rdx)
	cmpq	%rax, %r8
	jne	.L143
	movq	%rdi, %rax
	andq	$-4, %rax
	movq	%rax, %rdx
	cmpq	%rax, %rdi
	je	.L155
.L142:
	subq	%rdx, %rdi
	cmpq	$1, %rdi
	je	.L145
	salq	$5, %rdx
	leaq	(%rcx,%rdx), %r8
	addq	%rsi, %rdx
	vmovupd	16(%r8), %xmm2
	vmovupd	48(%r8), %xmm4
	vmovupd	(%r8), %xmm0
	vmovupd	32(%r8), %xmm3
	vunpcklpd	%xmm2, %xmm0, %xmm1
	vunpckhpd	%xmm2, %xmm0, %xmm0
	vunpcklpd	%xmm4, %xmm3, %xmm2
	vunpckhpd	%xmm4, %xmm3, %xmm3
	vunpcklpd	%xmm2, %xmm1, %xmm5
	vunpckhpd	%xmm2, %xmm1, %xmm2
	vmovddup	.LC17(%rip), %xmm4
	vunpckhpd	%xmm3, %xmm0, %xmm1
	vunpcklpd	%xmm3, %xmm0, %xmm0
	vxorpd	%xmm4, %xmm1, %xmm1
	vxorpd	%xmm4, %xmm0, %xmm0
	vunpcklpd	%xmm5, %xmm2, %xmm4
	vunpcklpd	%xmm0, %xmm1, %xmm3
	vunpckhpd	%xmm0, %xmm1, %xmm0
	vunpckhpd	%xmm5, %xmm2, %xmm1
	vunpcklpd	%xmm4, %xmm3, %xmm2
	vunpckhpd	%xmm4, %xmm3, %xmm3
	vmovupd	%xmm2, (%rdx)
	vunpcklpd	%xmm1, %xmm0, %xmm2
	vunpckhpd	%xmm1, %xmm0, %xmm0
	vmovupd	%xmm3, 16(%rdx)
	vmovupd	%xmm2, 32(%rdx)
	vmovupd	%xmm0, 48(%rdx)
	testb	$1, %dil
	je	.L155
	andq	$-2, %rdi
	addq	%rdi, %rax
.L145:
	salq	$5, %rax
	vmovq	.LC19(%rip), %xmm2
	vmovsd	24(%rcx,%rax), %xmm0
	vmovsd	8(%rcx,%rax), %xmm1
	vxorpd	%xmm2, %xmm0, %xmm0
	vxorpd	%xmm2, %xmm1, %xmm1
	vmovhpd	(%rcx,%rax), %xmm1, %xmm1
	vmovhpd	16(%rcx,%rax), %xmm0, %xmm0
	vinsertf128	$0x1, %xmm1, %ymm0, %ymm0
	vmovupd	%ymm0, (%rsi,%rax)
	vzeroupper
	ret
	.p2align 4,,10
	.p2align 3
.L155:
	vzeroupper
.L156:
	ret
.L147:
	xorl	%edx, %edx
	xorl	%eax, %eax
	jmp	.L142
	.cfi_endproc
.LFE992:
	.size	shuffle, .-shuffle
	.p2align 4
	.globl	polynomial
	.type	polynomial, @function
polynomial:
.LFB993:
	.cfi_startproc
	testq	%rdi, %rdi
	jle	.L173
	leaq	-1(%rdi), %rax
	cmpq	$2, %rax
	jbe	.L164
	vbroadcastsd	.LC21(%rip), %ymm9
	movq	%rdi, %rcx
	xorl	%eax, %eax
	vbroadcastsd	.LC23(%rip), %ymm8
	vbroadcastsd	.LC25(%rip), %ymm7
	shrq	$2, %rcx
	vbroadcastsd	.LC27(%rip), %ymm6
	vbroadcastsd	.LC29(%rip), %ymm5
	salq	$5, %rcx
	vbroadcastsd	.LC31(%rip), %ymm4
	vbroadcastsd	.LC4(%rip), %ymm3
	vbroadcastsd	.LC7(%rip), %ymm2
	.p2align 4,,10
	.p2align 3
.L160:
	vmovupd	(%rsi,%rax), %ymm1
	vmovapd	%ymm1, %ymm0
	vfmadd132pd	%ymm9, %ymm8, %ymm0
	vfmadd132pd	%ymm1, %ymm7, %ymm0
	vfmadd132pd	%ymm1, %ymm6, %ymm0
	vfmadd132pd	%ymm1, %ymm5, %ymm0
	vfmadd132pd	%ymm1, %ymm4, %ymm0
	vfmadd132pd	%ymm1, %ymm3, %ymm0
	vfmadd132pd	%ymm1, %ymm2, %ymm0
	vfmadd132pd	%ymm0, %ymm2, %ymm1
	vmovupd	%ymm1, (%rdx,%rax)
	addq	$32, %rax
	cmpq	%rax, %rcx
	jne	.L160
	movq	%rdi, %rax
	andq	$-4, %rax
	movq	%rax, %rcx
	cmpq	%rdi, %rax
	je	.L174
	vzeroupper
.L159:
	subq	%rcx, %rdi
	cmpq	$1, %rdi
	je	.L162
	vmovupd	(%rsi,%rcx,8), %xmm1
	vmovddup	.LC23(%rip), %xmm2
	vmovddup	.LC21(%rip), %xmm0
	vfmadd132pd	%xmm1, %xmm2, %xmm0
	vmovddup	.LC25(%rip), %xmm2
	vfmadd132pd	%xmm1, %xmm2, %xmm0
	vmovddup	.LC27(%rip), %xmm2
	vfmadd132pd	%xmm1, %xmm2, %xmm0
	vmovddup	.LC29(%rip), %xmm2
	vfmadd132pd	%xmm1, %xmm2, %xmm0
	vmovddup	.LC31(%rip), %xmm2
	vfmadd132pd	%xmm1, %xmm2, %xmm0
	vmovddup	.LC4(%rip), %xmm2
	vfmadd132pd	%xmm1, %xmm2, %xmm0
	vmovddup	.LC7(%rip), %xmm2
	vfmadd132pd	%xmm1, %xmm2, %xmm0
	vfmadd132pd	%xmm0, %xmm2, %xmm1
	vmovupd	%xmm1, (%rdx,%rcx,8)
	testb	$1, %dil
	je	.L173
	andq	$-2, %rdi
	addq	%rdi, %rax
.L162:
	vmovsd	(%rsi,%rax,8), %xmm1
	vmovsd	.LC21(%rip), %xmm0
	vfmadd213sd	.LC23(%rip), %xmm1, %xmm0
	vmovsd	.LC7(%rip), %xmm2
	vfmadd213sd	.LC25(%rip), %xmm1, %xmm0
	vfmadd213sd	.LC27(%rip), %xmm1, %xmm0
	vfmadd213sd	.LC29(%rip), %xmm1, %xmm0
	vfmadd213sd	.LC31(%rip), %xmm1, %xmm0
	vfmadd213sd	.LC4(%rip), %xmm1, %xmm0
	vfmadd132sd	%xmm1, %xmm2, %xmm0
	vfmadd132sd	%xmm0, %xmm2, %xmm1
	vmovsd	%xmm1, (%rdx,%rax,8)
.L173:
	ret
	.p2align 4,,10
	.p2align 3
.L174:
	vzeroupper
	ret
.L164:
	xorl	%ecx, %ecx
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
	.set	.LC4,.LC6
	.section	.rodata.cst16,"aM",@progbits,16
	.align 16
.LC6:
	.long	0
	.long	1071644672
	.long	0
	.long	1071644672
	.section	.rodata.cst8
	.align 8
.LC7:
	.long	0
	.long	1072693248
	.section	.rodata.cst16
	.align 16
.LC8:
	.long	-1717986918
	.long	1071225241
	.long	-1717986918
	.long	1071225241
	.align 16
.LC10:
	.long	1717986918
	.long	1073112678
	.long	1717986918
	.long	1073112678
	.section	.rodata.cst32,"aM",@progbits,32
	.align 32
.LC12:
	.quad	0
	.quad	1
	.quad	2
	.quad	3
	.section	.rodata.cst8
	.align 8
.LC15:
	.quad	4
	.set	.LC17,.LC19
	.section	.rodata.cst16
	.align 16
.LC19:
	.long	0
	.long	-2147483648
	.long	0
	.long	0
	.section	.rodata.cst8
	.align 8
.LC21:
	.long	436314138
	.long	1056571808
	.align 8
.LC23:
	.long	436314138
	.long	1059717536
	.align 8
.LC25:
	.long	381774871
	.long	1062650220
	.align 8
.LC27:
	.long	286331153
	.long	1065423121
	.align 8
.LC29:
	.long	1431655765
	.long	1067799893
	.align 8
.LC31:
	.long	1431655765
	.long	1069897045
	.section	.note.GNU-stack,"",@progbits
