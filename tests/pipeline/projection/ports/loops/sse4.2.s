	.file	"loops.cpp"
	.text
	.p2align 4
	.globl	dot
	.type	dot, @function
dot:
.LFB984:
	.cfi_startproc
	testq	%rdi, %rdi
	jle	.L7
	cmpq	$1, %rdi
	je	.L8
	movq	%rdi, %rcx
	xorl	%eax, %eax
	pxor	%xmm2, %xmm2
	shrq	%rcx
	salq	$4, %rcx
	.p2align 4,,10
	.p2align 3
.L4:
	movupd	(%rsi,%rax), %xmm0
	movupd	(%rdx,%rax), %xmm3
	addq	$16, %rax
	mulpd	%xmm3, %xmm0
	addpd	%xmm0, %xmm2
	cmpq	%rcx, %rax
	jne	.L4
	movapd	%xmm2, %xmm1
	unpckhpd	%xmm2, %xmm1
	addpd	%xmm2, %xmm1
	testb	$1, %dil
	je	.L1
	andq	$-2, %rdi
.L3:
	movsd	(%rdx,%rdi,8), %xmm0
	mulsd	(%rsi,%rdi,8), %xmm0
	addsd	%xmm0, %xmm1
.L1:
	movapd	%xmm1, %xmm0
	ret
	.p2align 4,,10
	.p2align 3
.L7:
	pxor	%xmm1, %xmm1
	movapd	%xmm1, %xmm0
	ret
.L8:
	xorl	%edi, %edi
	pxor	%xmm1, %xmm1
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
	testq	%rdi, %rdi
	jle	.L14
	cmpq	$1, %rdi
	je	.L19
	movq	%rdi, %rcx
	movddup	%xmm0, %xmm2
	xorl	%eax, %eax
	shrq	%rcx
	salq	$4, %rcx
	.p2align 4,,10
	.p2align 3
.L17:
	movupd	(%rsi,%rax), %xmm1
	movupd	(%rdx,%rax), %xmm3
	mulpd	%xmm2, %xmm1
	addpd	%xmm3, %xmm1
	movups	%xmm1, (%rdx,%rax)
	addq	$16, %rax
	cmpq	%rcx, %rax
	jne	.L17
	movq	%rdi, %rcx
	andq	$-2, %rcx
	andl	$1, %edi
	je	.L21
.L16:
	leaq	(%rdx,%rcx,8), %rax
	mulsd	(%rsi,%rcx,8), %xmm0
	addsd	(%rax), %xmm0
	movsd	%xmm0, (%rax)
.L14:
	ret
	.p2align 4,,10
	.p2align 3
.L21:
	ret
.L19:
	xorl	%ecx, %ecx
	jmp	.L16
	.cfi_endproc
.LFE985:
	.size	daxpy, .-daxpy
	.p2align 4
	.globl	stencil
	.type	stencil, @function
stencil:
.LFB986:
	.cfi_startproc
	cmpq	$2, %rdi
	jle	.L22
	leaq	-2(%rdi), %rcx
	cmpq	$3, %rdi
	je	.L27
	movq	%rcx, %rdi
	movupd	(%rsi), %xmm1
	movl	$8, %eax
	movddup	.LC2(%rip), %xmm4
	shrq	%rdi
	movddup	.LC4(%rip), %xmm3
	salq	$4, %rdi
	addq	$8, %rdi
	jmp	.L25
	.p2align 4,,10
	.p2align 3
.L28:
	movapd	%xmm2, %xmm1
.L25:
	movupd	8(%rsi,%rax), %xmm2
	movupd	(%rsi,%rax), %xmm0
	addpd	%xmm2, %xmm1
	mulpd	%xmm4, %xmm0
	mulpd	%xmm3, %xmm1
	addpd	%xmm1, %xmm0
	movups	%xmm0, (%rdx,%rax)
	addq	$16, %rax
	cmpq	%rax, %rdi
	jne	.L28
	testb	$1, %cl
	je	.L22
	movq	%rcx, %rax
	orq	$1, %rax
.L24:
	movsd	8(%rsi,%rax,8), %xmm0
	movsd	.LC2(%rip), %xmm1
	addsd	-8(%rsi,%rax,8), %xmm0
	mulsd	(%rsi,%rax,8), %xmm1
	mulsd	.LC4(%rip), %xmm0
	addsd	%xmm1, %xmm0
	movsd	%xmm0, (%rdx,%rax,8)
.L22:
	ret
.L27:
	movl	$1, %eax
	jmp	.L24
	.cfi_endproc
.LFE986:
	.size	stencil, .-stencil
	.p2align 4
	.globl	gather
	.type	gather, @function
gather:
.LFB987:
	.cfi_startproc
	movq	%rdi, %r10
	movq	%rdx, %rdi
	testq	%r10, %r10
	jle	.L32
	leaq	-1(%r10), %rax
	cmpq	$2, %rax
	jbe	.L37
	movq	%r10, %r11
	xorl	%eax, %eax
	shrq	$2, %r11
	salq	$4, %r11
	.p2align 4,,10
	.p2align 3
.L35:
	leaq	(%rdi,%rax), %rdx
	movslq	8(%rdx), %r9
	movslq	12(%rdx), %r8
	movsd	(%rsi,%r9,8), %xmm0
	movhpd	(%rsi,%r8,8), %xmm0
	movslq	(%rdx), %r8
	movslq	4(%rdx), %rdx
	addpd	%xmm0, %xmm0
	movsd	(%rsi,%r8,8), %xmm1
	movhpd	(%rsi,%rdx,8), %xmm1
	movups	%xmm0, 16(%rcx,%rax,2)
	addpd	%xmm1, %xmm1
	movups	%xmm1, (%rcx,%rax,2)
	addq	$16, %rax
	cmpq	%r11, %rax
	jne	.L35
	movq	%r10, %rax
	andq	$-4, %rax
	testb	$3, %r10b
	je	.L39
.L34:
	movslq	(%rdi,%rax,4), %r9
	leaq	0(,%rax,4), %r8
	leaq	0(,%rax,8), %rdx
	movsd	(%rsi,%r9,8), %xmm0
	leaq	1(%rax), %r9
	addsd	%xmm0, %xmm0
	movsd	%xmm0, (%rcx,%rax,8)
	cmpq	%r9, %r10
	jle	.L32
	movslq	4(%rdi,%r8), %r9
	addq	$2, %rax
	movsd	(%rsi,%r9,8), %xmm0
	addsd	%xmm0, %xmm0
	movsd	%xmm0, 8(%rcx,%rdx)
	cmpq	%rax, %r10
	jle	.L32
	movslq	8(%rdi,%r8), %rax
	movsd	(%rsi,%rax,8), %xmm0
	addsd	%xmm0, %xmm0
	movsd	%xmm0, 16(%rcx,%rdx)
.L32:
	ret
	.p2align 4,,10
	.p2align 3
.L39:
	ret
.L37:
	xorl	%eax, %eax
	jmp	.L34
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
	jle	.L40
	cmpq	$1, %rdi
	je	.L45
	movq	%rdi, %r8
	xorl	%eax, %eax
	shrq	%r8
	salq	$4, %r8
	.p2align 4,,10
	.p2align 3
.L43:
	movupd	(%rsi,%rax), %xmm0
	movupd	(%rdx,%rax), %xmm1
	divpd	%xmm1, %xmm0
	movups	%xmm0, (%rcx,%rax)
	addq	$16, %rax
	cmpq	%r8, %rax
	jne	.L43
	movq	%rdi, %rax
	andq	$-2, %rax
	andl	$1, %edi
	je	.L47
.L42:
	movsd	(%rsi,%rax,8), %xmm0
	divsd	(%rdx,%rax,8), %xmm0
	movsd	%xmm0, (%rcx,%rax,8)
.L40:
	ret
	.p2align 4,,10
	.p2align 3
.L47:
	ret
.L45:
	xorl	%eax, %eax
	jmp	.L42
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
	jle	.L48
	cmpq	$1, %rdi
	je	.L53
	movq	%rdi, %rcx
	xorl	%eax, %eax
	shrq	%rcx
	salq	$4, %rcx
	.p2align 4,,10
	.p2align 3
.L51:
	movupd	(%rsi,%rax), %xmm1
	sqrtpd	%xmm1, %xmm0
	movups	%xmm0, (%rdx,%rax)
	addq	$16, %rax
	cmpq	%rcx, %rax
	jne	.L51
	movq	%rdi, %rax
	andq	$-2, %rax
	andl	$1, %edi
	je	.L55
.L50:
	movsd	(%rsi,%rax,8), %xmm0
	sqrtsd	%xmm0, %xmm0
	movsd	%xmm0, (%rdx,%rax,8)
.L48:
	ret
	.p2align 4,,10
	.p2align 3
.L55:
	ret
.L53:
	xorl	%eax, %eax
	jmp	.L50
	.cfi_endproc
.LFE989:
	.size	square_root, .-square_root
	.p2align 4
	.globl	flux
	.type	flux, @function
flux:
.LFB990:
	.cfi_startproc
	movq	%rdi, %rax
	movq	%rcx, %rdi
	testq	%rax, %rax
	jle	.L56
	leaq	(%rsi,%rax,8), %r9
	.p2align 4,,10
	.p2align 3
.L58:
	movl	(%rsi), %eax
	addq	$8, %rsi
	addq	$24, %rdx
	addq	$40, %r8
	movsd	.LC5(%rip), %xmm7
	movsd	.LC5(%rip), %xmm6
	leal	(%rax,%rax,4), %eax
	cltq
	leaq	(%rdi,%rax,8), %rcx
	movl	-4(%rsi), %eax
	movsd	(%rcx), %xmm5
	movsd	8(%rcx), %xmm4
	leal	(%rax,%rax,4), %eax
	movsd	16(%rcx), %xmm11
	movsd	32(%rcx), %xmm8
	divsd	%xmm5, %xmm7
	cltq
	movapd	%xmm4, %xmm3
	movsd	24(%rcx), %xmm10
	leaq	(%rdi,%rax,8), %rax
	movapd	%xmm11, %xmm2
	movapd	%xmm5, %xmm15
	movsd	(%rax), %xmm13
	movsd	8(%rax), %xmm1
	movsd	16(%rax), %xmm0
	movsd	32(%rax), %xmm12
	movsd	%xmm1, -48(%rsp)
	movapd	%xmm1, %xmm14
	unpcklpd	%xmm13, %xmm15
	movsd	%xmm0, -40(%rsp)
	movapd	%xmm0, %xmm1
	movsd	24(%rax), %xmm0
	movsd	%xmm0, -32(%rsp)
	divsd	%xmm13, %xmm6
	mulsd	%xmm7, %xmm3
	mulsd	%xmm7, %xmm2
	mulsd	%xmm10, %xmm7
	movapd	%xmm3, %xmm9
	mulsd	%xmm3, %xmm9
	mulsd	%xmm6, %xmm14
	mulsd	%xmm6, %xmm1
	mulsd	%xmm0, %xmm6
	movapd	%xmm8, %xmm0
	unpcklpd	%xmm12, %xmm0
	movaps	%xmm0, -24(%rsp)
	movapd	%xmm9, %xmm0
	movapd	%xmm2, %xmm9
	mulsd	%xmm2, %xmm9
	mulsd	-16(%rdx), %xmm2
	addsd	%xmm0, %xmm9
	movapd	%xmm7, %xmm0
	mulsd	%xmm7, %xmm0
	mulsd	-8(%rdx), %xmm7
	addsd	%xmm0, %xmm9
	movapd	%xmm1, %xmm0
	mulsd	%xmm1, %xmm0
	mulsd	-16(%rdx), %xmm1
	movq	%xmm9, %rax
	movapd	%xmm14, %xmm9
	mulsd	%xmm14, %xmm9
	addsd	%xmm9, %xmm0
	movapd	%xmm6, %xmm9
	mulsd	%xmm6, %xmm9
	mulsd	-8(%rdx), %xmm6
	addsd	%xmm9, %xmm0
	movq	%rax, %xmm9
	unpcklpd	%xmm0, %xmm9
	movapd	.LC1(%rip), %xmm0
	mulpd	%xmm15, %xmm0
	mulpd	%xmm0, %xmm9
	movapd	-24(%rsp), %xmm0
	subpd	%xmm9, %xmm0
	mulpd	.LC6(%rip), %xmm0
	movapd	.LC8(%rip), %xmm9
	mulpd	%xmm0, %xmm9
	divpd	%xmm15, %xmm9
	movsd	-24(%rdx), %xmm15
	mulsd	%xmm15, %xmm3
	mulsd	%xmm15, %xmm14
	addsd	%xmm3, %xmm2
	movapd	%xmm5, %xmm3
	subsd	%xmm13, %xmm5
	addsd	%xmm14, %xmm1
	addsd	%xmm7, %xmm2
	addsd	%xmm6, %xmm1
	mulsd	%xmm2, %xmm3
	sqrtpd	%xmm9, %xmm9
	movapd	%xmm9, %xmm6
	unpckhpd	%xmm9, %xmm6
	addpd	%xmm9, %xmm6
	movapd	%xmm13, %xmm9
	movsd	-48(%rsp), %xmm13
	mulsd	%xmm1, %xmm9
	mulsd	%xmm6, %xmm5
	addsd	%xmm3, %xmm9
	movapd	%xmm13, %xmm3
	mulsd	%xmm1, %xmm3
	addsd	%xmm5, %xmm9
	movapd	%xmm4, %xmm5
	mulsd	%xmm2, %xmm5
	movapd	%xmm5, %xmm7
	movapd	%xmm0, %xmm5
	addsd	%xmm3, %xmm7
	unpckhpd	%xmm0, %xmm5
	movapd	%xmm4, %xmm3
	movsd	-40(%rsp), %xmm4
	addpd	%xmm0, %xmm5
	subsd	%xmm13, %xmm3
	mulsd	%xmm5, %xmm15
	mulsd	%xmm6, %xmm3
	addsd	%xmm15, %xmm3
	addsd	%xmm7, %xmm3
	movsd	-32(%rsp), %xmm7
	unpcklpd	%xmm3, %xmm9
	movapd	%xmm11, %xmm3
	subsd	%xmm4, %xmm3
	movups	%xmm9, -40(%r8)
	mulsd	%xmm1, %xmm4
	mulsd	%xmm2, %xmm11
	mulsd	%xmm6, %xmm3
	addsd	%xmm4, %xmm11
	movapd	%xmm3, %xmm9
	movsd	-16(%rdx), %xmm3
	movsd	-8(%rdx), %xmm4
	mulsd	%xmm5, %xmm3
	mulsd	%xmm5, %xmm4
	addsd	%xmm3, %xmm9
	movapd	%xmm10, %xmm3
	subsd	%xmm7, %xmm3
	mulsd	%xmm2, %xmm10
	addsd	%xmm11, %xmm9
	mulsd	%xmm6, %xmm3
	addsd	%xmm4, %xmm3
	movapd	%xmm7, %xmm4
	mulsd	%xmm1, %xmm4
	addsd	%xmm4, %xmm10
	addsd	%xmm10, %xmm3
	unpcklpd	%xmm3, %xmm9
	movapd	%xmm0, %xmm3
	unpckhpd	%xmm0, %xmm0
	addsd	%xmm8, %xmm3
	addsd	%xmm12, %xmm0
	movups	%xmm9, -24(%r8)
	subsd	%xmm12, %xmm8
	mulsd	%xmm2, %xmm3
	mulsd	%xmm1, %xmm0
	mulsd	%xmm6, %xmm8
	addsd	%xmm3, %xmm0
	addsd	%xmm8, %xmm0
	movsd	%xmm0, -8(%r8)
	cmpq	%rsi, %r9
	jne	.L58
.L56:
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
	movabsq	$1469598103934665603, %r8
	testq	%rdi, %rdi
	jle	.L61
	movabsq	$-7046029254386353131, %r10
	xorl	%ecx, %ecx
	.p2align 4,,10
	.p2align 3
.L63:
	movq	(%rsi,%rcx,8), %rdx
	movq	%rdx, %rax
	shrq	$29, %rax
	xorq	%rdx, %rax
	movq	%rax, %rdx
	movq	%rax, %r9
	andq	%rcx, %rax
	addq	$1, %rcx
	imulq	%r10, %rdx
	salq	$7, %r9
	xorq	%r9, %rdx
	xorq	%rdx, %rax
	addq	%rax, %r8
	cmpq	%rcx, %rdi
	jne	.L63
.L61:
	movq	%r8, %rax
	ret
	.cfi_endproc
.LFE991:
	.size	integer, .-integer
	.p2align 4
	.globl	shuffle
	.type	shuffle, @function
shuffle:
.LFB992:
	.cfi_startproc
	testq	%rdi, %rdi
	jle	.L66
	cmpq	$1, %rdi
	je	.L71
	movq	%rdi, %r8
	movq	%rsi, %rax
	movq	%rdx, %rcx
	movddup	.LC11(%rip), %xmm6
	shrq	%r8
	salq	$6, %r8
	addq	%rsi, %r8
	.p2align 4,,10
	.p2align 3
.L69:
	movupd	(%rax), %xmm2
	movupd	32(%rax), %xmm1
	addq	$64, %rax
	addq	$64, %rcx
	movupd	-48(%rax), %xmm0
	movlpd	-56(%rax), %xmm0
	movhpd	-48(%rax), %xmm2
	movhpd	-16(%rax), %xmm1
	movupd	-16(%rax), %xmm3
	movlpd	-24(%rax), %xmm3
	movapd	%xmm2, %xmm5
	unpckhpd	%xmm1, %xmm2
	unpcklpd	%xmm1, %xmm5
	movapd	%xmm0, %xmm1
	unpcklpd	%xmm3, %xmm0
	unpckhpd	%xmm3, %xmm1
	xorpd	%xmm6, %xmm0
	movapd	%xmm2, %xmm4
	xorpd	%xmm6, %xmm1
	unpckhpd	%xmm5, %xmm2
	unpcklpd	%xmm5, %xmm4
	movapd	%xmm1, %xmm3
	unpckhpd	%xmm0, %xmm1
	unpcklpd	%xmm0, %xmm3
	movapd	%xmm2, %xmm0
	movapd	%xmm3, %xmm2
	unpckhpd	%xmm4, %xmm3
	unpcklpd	%xmm4, %xmm2
	movups	%xmm3, -48(%rcx)
	movups	%xmm2, -64(%rcx)
	movapd	%xmm1, %xmm2
	unpckhpd	%xmm0, %xmm1
	unpcklpd	%xmm0, %xmm2
	movups	%xmm1, -16(%rcx)
	movups	%xmm2, -32(%rcx)
	cmpq	%rax, %r8
	jne	.L69
	movq	%rdi, %rax
	andq	$-2, %rax
	andl	$1, %edi
	je	.L73
.L68:
	salq	$5, %rax
	movq	.LC12(%rip), %xmm2
	movsd	8(%rsi,%rax), %xmm0
	movsd	24(%rsi,%rax), %xmm1
	xorpd	%xmm2, %xmm0
	xorpd	%xmm2, %xmm1
	movhpd	(%rsi,%rax), %xmm0
	movhpd	16(%rsi,%rax), %xmm1
	movups	%xmm1, (%rdx,%rax)
	movups	%xmm0, 16(%rdx,%rax)
.L66:
	ret
	.p2align 4,,10
	.p2align 3
.L73:
	ret
.L71:
	xorl	%eax, %eax
	jmp	.L68
	.cfi_endproc
.LFE992:
	.size	shuffle, .-shuffle
	.p2align 4
	.globl	polynomial
	.type	polynomial, @function
polynomial:
.LFB993:
	.cfi_startproc
	movq	%rdx, %rax
	testq	%rdi, %rdi
	jle	.L74
	cmpq	$1, %rdi
	je	.L79
	movq	%rdi, %rcx
	xorl	%edx, %edx
	movddup	.LC14(%rip), %xmm8
	movddup	.LC16(%rip), %xmm7
	shrq	%rcx
	movddup	.LC18(%rip), %xmm6
	movddup	.LC20(%rip), %xmm5
	movddup	.LC22(%rip), %xmm4
	salq	$4, %rcx
	movddup	.LC24(%rip), %xmm3
	movddup	.LC2(%rip), %xmm2
	movddup	.LC5(%rip), %xmm1
	.p2align 4,,10
	.p2align 3
.L77:
	movupd	(%rsi,%rdx), %xmm9
	movapd	%xmm9, %xmm0
	mulpd	%xmm8, %xmm0
	addpd	%xmm7, %xmm0
	mulpd	%xmm9, %xmm0
	addpd	%xmm6, %xmm0
	mulpd	%xmm9, %xmm0
	addpd	%xmm5, %xmm0
	mulpd	%xmm9, %xmm0
	addpd	%xmm4, %xmm0
	mulpd	%xmm9, %xmm0
	addpd	%xmm3, %xmm0
	mulpd	%xmm9, %xmm0
	addpd	%xmm2, %xmm0
	mulpd	%xmm9, %xmm0
	addpd	%xmm1, %xmm0
	mulpd	%xmm9, %xmm0
	addpd	%xmm1, %xmm0
	movups	%xmm0, (%rax,%rdx)
	addq	$16, %rdx
	cmpq	%rcx, %rdx
	jne	.L77
	testb	$1, %dil
	je	.L74
	andq	$-2, %rdi
.L76:
	movsd	(%rsi,%rdi,8), %xmm1
	movsd	.LC14(%rip), %xmm0
	movsd	.LC5(%rip), %xmm2
	mulsd	%xmm1, %xmm0
	addsd	.LC16(%rip), %xmm0
	mulsd	%xmm1, %xmm0
	addsd	.LC18(%rip), %xmm0
	mulsd	%xmm1, %xmm0
	addsd	.LC20(%rip), %xmm0
	mulsd	%xmm1, %xmm0
	addsd	.LC22(%rip), %xmm0
	mulsd	%xmm1, %xmm0
	addsd	.LC24(%rip), %xmm0
	mulsd	%xmm1, %xmm0
	addsd	.LC2(%rip), %xmm0
	mulsd	%xmm1, %xmm0
	addsd	%xmm2, %xmm0
	mulsd	%xmm1, %xmm0
	addsd	%xmm2, %xmm0
	movsd	%xmm0, (%rax,%rdi,8)
.L74:
	ret
.L79:
	xorl	%edi, %edi
	jmp	.L76
	.cfi_endproc
.LFE993:
	.size	polynomial, .-polynomial
	.section	.rodata.cst16,"aM",@progbits,16
	.align 16
.LC1:
	.long	0
	.long	1071644672
	.long	0
	.long	1071644672
	.set	.LC2,.LC1
	.section	.rodata.cst8,"aM",@progbits,8
	.align 8
.LC4:
	.long	0
	.long	1070596096
	.align 8
.LC5:
	.long	0
	.long	1072693248
	.section	.rodata.cst16
	.align 16
.LC6:
	.long	-1717986918
	.long	1071225241
	.long	-1717986918
	.long	1071225241
	.align 16
.LC8:
	.long	1717986918
	.long	1073112678
	.long	1717986918
	.long	1073112678
	.set	.LC11,.LC12
	.align 16
.LC12:
	.long	0
	.long	-2147483648
	.long	0
	.long	0
	.section	.rodata.cst8
	.align 8
.LC14:
	.long	436314138
	.long	1056571808
	.align 8
.LC16:
	.long	436314138
	.long	1059717536
	.align 8
.LC18:
	.long	381774871
	.long	1062650220
	.align 8
.LC20:
	.long	286331153
	.long	1065423121
	.align 8
.LC22:
	.long	1431655765
	.long	1067799893
	.align 8
.LC24:
	.long	1431655765
	.long	1069897045
	.section	.note.GNU-stack,"",@progbits
